//! Operations on tables without the SDK's orchestration, which takes longer than the operations.

use std::fmt::Debug;

use aws_smithy_runtime_api::client::interceptors::context::Input;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::runtime_plugin::RuntimePlugin;
use aws_smithy_runtime_api::client::ser_de::{
    DeserializeResponse, SerializeRequest, SharedRequestSerializer, SharedResponseDeserializer,
};
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::config_bag::{ConfigBag, FrozenLayer};
use bytes::Bytes;

use super::engine::EmbeddedEngine;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::wire::failure::from_engine;
use crate::wire::gate::AdmittedOperation;

/// The SDK's request, and its decoding of the response. Passing it to the engine saves everything in between.
pub(in crate::wire) struct PreparedOperation {
    body: Bytes,
    /// They contain the deserializer of the response.
    settings: FrozenLayer,
}

impl PreparedOperation {
    /// None if this version of the SDK keeps them elsewhere: then the operation goes through the SDK.
    pub(in crate::wire) fn of_operation<I>(operation: &dyn RuntimePlugin, input: I) -> Option<Self>
    where
        I: Debug + Send + Sync + 'static,
    {
        let settings = operation.config()?;
        let writer = settings.load::<SharedRequestSerializer>()?;
        let request = writer.serialize_input(Input::erase(input), &mut ConfigBag::base());
        let body = Bytes::copy_from_slice(request.ok()?.body().bytes()?);
        // It must be checked before the operation is executed, because nothing could read its
        // response otherwise.
        settings.load::<SharedResponseDeserializer>()?;
        Some(PreparedOperation { body, settings })
    }

    pub(in crate::wire) async fn send_prepared<O>(
        self,
        engine: &EmbeddedEngine,
        admitted: AdmittedOperation<'_>,
    ) -> Result<O>
    where
        O: Debug + Send + Sync + 'static,
    {
        let site = admitted.failure_context();
        let id = engine.next_request_id();
        let operation = site.operation.to_owned().into();
        let (status, body) = engine.call_operation(operation, self.body).await;
        if !(200..300).contains(&status) {
            return Err(from_engine(status, &body, id, site).error);
        }
        let unreadable = || {
            let message = format!("the answer to {} cannot be read", site.operation);
            let error = Error::new(ErrorKind::Service, Stage::Schema, message);
            error.with_request_id(Some(&id))
        };
        let status = status.try_into().map_err(|_| unreadable())?;
        let response = HttpResponse::new(status, SdkBody::from(body));
        let reader = self.settings.load::<SharedResponseDeserializer>();
        let reader = reader.ok_or_else(unreadable)?;
        let output = reader.deserialize_nonstreaming_with_config(&response, &ConfigBag::base());
        let output = output.map_err(|_| unreadable())?;
        output.downcast().map_err(|_| unreadable())
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::operation::{
        create_table, describe_table, describe_time_to_live, update_time_to_live,
    };

    use super::*;

    /// A new version of the SDK may do all this in another way, which would be slower and not wrong.
    #[test]
    fn the_sdk_still_tells_what_it_would_send() {
        let described = describe_table::DescribeTableInput::builder().table_name("notes");
        let described = PreparedOperation::of_operation(
            &describe_table::DescribeTable::new(),
            described.build().expect("complete"),
        );
        let body = described.expect("it is known").body;
        assert_eq!(&*body, br#"{"TableName":"notes"}"#);
        let created = create_table::CreateTableInput::builder().build();
        let created = created.expect("the service checks it");
        assert!(
            PreparedOperation::of_operation(&create_table::CreateTable::new(), created).is_some()
        );
        let ttl = describe_time_to_live::DescribeTimeToLiveInput::builder().build();
        let ttl = ttl.expect("the service checks it");
        let operation = describe_time_to_live::DescribeTimeToLive::new();
        assert!(PreparedOperation::of_operation(&operation, ttl).is_some());
        let ttl = update_time_to_live::UpdateTimeToLiveInput::builder().build();
        let ttl = ttl.expect("the service checks it");
        let operation = update_time_to_live::UpdateTimeToLive::new();
        assert!(PreparedOperation::of_operation(&operation, ttl).is_some());
    }
}
