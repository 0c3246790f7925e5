//! Replaces the SDK's bytes by ours, with the SDK's own hooks.
//!
//! The fluent builder carries only the table's name, which the endpoint rules read. Before serialization, our
//! serializer replaces that of the SDK, and writes the planned body. After a response of 2xx, our deserializer replaces
//! that of the SDK: it keeps the body unchanged and gives the SDK an empty output. The SDK still reads rejections, so
//! that its retries see them.
//!
//! If a version of the SDK does not use them, it only does its work in vain: the output of its serializer is replaced
//! before the first attempt, and the body is kept after its own deserializer.
//!
//! The same hooks watch each attempt for law W6: an attempt that was sent and has no answer is ambiguous.

use std::sync::Arc;

use aws_runtime::invocation_id::InvocationId;
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::{
    AfterDeserializationInterceptorContextRef, BeforeDeserializationInterceptorContextMut,
    BeforeSerializationInterceptorContextMut, BeforeTransmitInterceptorContextMut,
    BeforeTransmitInterceptorContextRef, Error, FinalizerInterceptorContextRef, Input, Output,
};
use aws_smithy_runtime_api::client::interceptors::dyn_dispatch_hint;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::ser_de::{
    DeserializeResponse, SerializeRequest, SharedRequestSerializer, SharedResponseDeserializer,
};
use aws_smithy_types::body::SdkBody;

use super::agent::UserAgentCache;
use super::exchange::HookExchange;
use crate::wire::failure::response_metadata;
use crate::wire::request::CONTENT_TYPE;

/// The hooks of one call.
#[derive(Debug)]
pub(in crate::wire) struct Hooks(pub(in crate::wire) Arc<HookExchange>);

#[dyn_dispatch_hint]
impl Intercept for Hooks {
    fn name(&self) -> &'static str {
        "DynamoEntity"
    }

    fn modify_before_serialization(
        &self,
        _: &mut BeforeSerializationInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        if self.0.swaps {
            // The state of the interceptors wins over the SDK's own serializer, which is in a
            // deeper layer of the settings.
            let serializer = SharedRequestSerializer::new(Serializer(self.0.clone()));
            cfg.interceptor_state().store_put(serializer);
        }
        if self.0.has_agent {
            UserAgentCache::stand_in(cfg);
        }
        Ok(())
    }

    fn modify_before_retry_loop(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        // The SDK's interceptor has generated another ID before. This one replaces it, so that all
        // attempts have the ID of the first one.
        if let Some(id) = &self.0.invocation {
            cfg.interceptor_state()
                .store_put(InvocationId::new(id.clone()));
        }
        match self.0.is_serialized() {
            true => Ok(()),
            // An SDK that has ignored our serializer still gets the planned body. It must happen
            // before signing, because the signature covers the body.
            false => self.0.fill_request(context.request_mut()),
        }
    }

    fn modify_before_signing(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        match &self.0.agent {
            // The header `x-amz-user-agent` is signed, so it must be there before the signature.
            Some(agent) if self.0.has_agent => agent.write_headers(context.request_mut()),
            _ => Ok(()),
        }
    }

    fn read_before_attempt(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.0.begin_attempt();
        Ok(())
    }

    fn read_before_transmit(
        &self,
        context: &BeforeTransmitInterceptorContextRef<'_>,
        components: &RuntimeComponents,
        cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        // This is the last hook before the connection. Waiting for a retry may have taken minutes,
        // so the age of the token is checked here and not when the call begins.
        self.0.require_young_token(components)?;
        self.0.note_sending(context.request(), components, cfg);
        Ok(())
    }

    fn modify_before_deserialization(
        &self,
        context: &mut BeforeDeserializationInterceptorContextMut<'_>,
        components: &RuntimeComponents,
        cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.0.follow_clock(context.response(), components);
        // The deserializer is installed only now: the SDK's own must read a rejection, and the
        // state of interceptors survives retries.
        if self.0.swaps && context.response().status().is_success() {
            let deserializer = SharedResponseDeserializer::new(Deserializer(self.0.clone()));
            cfg.interceptor_state().store_put(deserializer);
        }
        Ok(())
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let response = context.response();
        // If the SDK has ignored our deserializer, its own has read the body, which the response
        // still contains.
        if response.status().is_success() && !self.0.has_answer() {
            self.0.keep_body(response);
        }
        Ok(())
    }

    fn read_after_attempt(
        &self,
        context: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        #[cfg(feature = "tracing")]
        if self.0.is_traced {
            super::traced::trace_attempt(self.0.attempt_count(), context);
        }
        self.0.end_attempt(context);
        Ok(())
    }
}

#[derive(Debug)]
struct Serializer(Arc<HookExchange>);

impl SerializeRequest for Serializer {
    fn serialize_input(&self, _: Input, _: &mut ConfigBag) -> Result<HttpRequest, BoxError> {
        self.0.note_serialized();
        let mut request = HttpRequest::new(SdkBody::empty());
        request.set_method("POST")?;
        let headers = request.headers_mut();
        headers.try_insert("content-type", CONTENT_TYPE)?;
        headers.try_insert("x-amz-target", self.0.service_operation().target_header())?;
        self.0.fill_request(&mut request)?;
        Ok(request)
    }
}

#[derive(Debug)]
struct Deserializer(Arc<HookExchange>);

impl DeserializeResponse for Deserializer {
    fn deserialize_nonstreaming_with_config(
        &self,
        response: &HttpResponse,
        _: &ConfigBag,
    ) -> Result<Output, OrchestratorError<Error>> {
        if !response.status().is_success() {
            // This happens only after a retry: an earlier attempt had 2xx and a body that broke off, and our
            // deserializer has remained in the SDK's state.
            let refusal = response_metadata(response);
            return Err(OrchestratorError::operation(
                self.0.service_operation().refusal_error(refusal),
            ));
        }
        if self.0.keep_body(response) {
            // Generated code downcasts the output and panics if it has another type, so it must be
            // the operation's own.
            Ok(self.0.service_operation().blank_output())
        } else {
            Err(OrchestratorError::response(
                "the response is not DynamoDB JSON".into(),
            ))
        }
    }
}
