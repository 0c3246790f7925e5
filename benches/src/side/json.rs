//! The JSON code of the SDK without its client: it turns maps into bytes and back.

use aws_sdk_dynamodb::operation::get_item::{GetItem, GetItemOutput};
use aws_sdk_dynamodb::operation::put_item::{PutItem, PutItemInput};
use aws_smithy_runtime_api::client::interceptors::context::Input;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::runtime_plugin::RuntimePlugin;
use aws_smithy_runtime_api::client::ser_de::{
    DeserializeResponse, SerializeRequest, SharedRequestSerializer, SharedResponseDeserializer,
};
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::config_bag::{ConfigBag, FrozenLayer};

use crate::by_hand::Map;

pub struct Json {
    serializer: SharedRequestSerializer,
    /// The configuration layer that holds the deserializer.
    get: FrozenLayer,
    config: ConfigBag,
}

impl Json {
    pub fn new() -> Self {
        let put = PutItem::new().config().expect("its plug-in");
        let get = GetItem::new().config().expect("its plug-in");
        Json {
            serializer: put
                .load::<SharedRequestSerializer>()
                .expect("its serializer")
                .clone(),
            get,
            config: ConfigBag::base(),
        }
    }

    /// Returns the length of a request that puts this item.
    pub fn write(&mut self, item: Map) -> usize {
        let input = PutItemInput::builder()
            .table_name("orders")
            .set_item(Some(item));
        let input = Input::erase(input.build().expect("an input"));
        let request = self.serializer.serialize_input(input, &mut self.config);
        request
            .expect("a request")
            .body()
            .bytes()
            .map_or(0, <[u8]>::len)
    }

    /// Returns the item of an answer.
    pub fn read(&self, answer: &'static [u8]) -> Map {
        let response = HttpResponse::new(200.try_into().expect("a status"), SdkBody::from(answer));
        let deserializer = self.get.load::<SharedResponseDeserializer>();
        let deserializer = deserializer.expect("its deserializer");
        let output = deserializer.deserialize_nonstreaming_with_config(&response, &self.config);
        let output = output.expect("an answer").downcast::<GetItemOutput>();
        output.expect("its type").item.expect("an item")
    }
}
