//! Connections that change answers on their way to the client.

use std::fmt;
use std::sync::Arc;

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;

/// An answer as the client is going to see it.
pub struct Answer {
    pub operation: String,
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

type Change = dyn Fn(&mut Answer) + Send + Sync;

/// An HTTP client whose answers are changed.
#[derive(Clone)]
pub struct Rewriting<C> {
    inner: C,
    change: Arc<Change>,
}

impl<C> Rewriting<C> {
    pub fn new(inner: C, change: impl Fn(&mut Answer) + Send + Sync + 'static) -> Self {
        let change = Arc::new(change);
        Rewriting { inner, change }
    }
}

impl<C> fmt::Debug for Rewriting<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rewriting")
    }
}

impl HttpClient for Rewriting<SharedHttpClient> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(Rewriting {
            inner: self.inner.http_connector(settings, components),
            change: self.change.clone(),
        })
    }
}

impl HttpConnector for Rewriting<SharedHttpConnector> {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (inner, change) = (self.inner.clone(), self.change.clone());
        HttpConnectorFuture::new(async move {
            let target = request.headers().get("x-amz-target").unwrap_or_default();
            let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
            let response = inner.call(request).await?;
            let status = response.status().as_u16();
            let mut headers = response.headers().clone();
            let body = ByteStream::new(response.into_body()).collect().await;
            let body = body.map_err(|error| ConnectorError::io(error.into()))?;
            let mut answer = Answer {
                operation,
                status,
                headers: Vec::new(),
                body: body.to_vec(),
            };
            change(&mut answer);
            let status = answer.status.try_into().expect("a status");
            let mut response = HttpResponse::new(status, SdkBody::from(answer.body));
            for (name, value) in answer.headers {
                headers.insert(name, value);
            }
            *response.headers_mut() = headers;
            Ok(response)
        })
    }
}
