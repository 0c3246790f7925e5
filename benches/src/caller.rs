//! Callers that make many calls at once: hand-written code on the raw SDK, and the library in both of its
//! ways. Each has its own client with the same settings, so that only the way of a call differs.

use std::collections::HashMap;
use std::hint::black_box;
use std::net::TcpListener;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::{Client, Config};
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use dynamo_entity::observe::{SdkFallback, WirePath};
use dynamo_entity::prelude::*;
use tokio::runtime::Runtime;

use crate::by_hand::{self, Map};
use crate::identity::ServerIdentity;
use crate::order::{CUSTOMER, FIRST, Order, order};
use crate::server::{Service, comparable};
use crate::work::Work;

/// The works that callers do.
pub const CALLS: [Work; 2] = [Work::Get, Work::Put];

pub struct Caller {
    pub name: &'static str,
    connection: CallerConnection,
    order: Order,
}

enum CallerConnection {
    Sdk(Client),
    Library {
        db: Dynamo,
        /// The way that the calls of this caller have to take.
        path: WirePath,
    },
}

pub type CallFuture<'c> = Pin<Box<dyn Future<Output = ()> + Send + 'c>>;

impl Caller {
    /// All callers. The others are compared with the first one.
    pub fn all(address: &str, certificate: Option<&str>) -> [Caller; 3] {
        let client = || client(address, certificate);
        let library = |db, path| CallerConnection::Library { db, path };
        [
            ("raw SDK", CallerConnection::Sdk(client())),
            ("library", library(Dynamo::new(client()), WirePath::Direct)),
            (
                "library through the SDK",
                library(
                    Dynamo::new(client()).through_sdk(),
                    WirePath::Sdk(SdkFallback::Asked),
                ),
            ),
        ]
        .map(|(name, connection)| Caller {
            name,
            connection,
            order: order(),
        })
    }

    /// Makes one of [`CALLS`]. The future is boxed, so that its size is that of this call and not of the
    /// largest one.
    pub fn call(&self, work: Work) -> CallFuture<'_> {
        match (&self.connection, work) {
            (CallerConnection::Sdk(client), Work::Get) => Box::pin(get_by_sdk(client)),
            (CallerConnection::Sdk(client), Work::Put) => Box::pin(put_by_sdk(client, &self.order)),
            (CallerConnection::Library { db, .. }, Work::Get) => Box::pin(get_by_library(db)),
            (CallerConnection::Library { db, .. }, Work::Put) => {
                Box::pin(put_by_library(db, &self.order))
            }
            (_, other) => panic!("no call: {}", other.name()),
        }
    }

    /// Asks an observer whether calls take the way that is to be measured. Only this one call is observed,
    /// because an observed call sends another request.
    pub async fn check_way(&self) {
        let CallerConnection::Library { db, path } = &self.connection else {
            return;
        };
        let seen: Arc<Mutex<Option<WirePath>>> = Arc::default();
        let keep = seen.clone();
        let listened = db.clone().with_observer(move |observed| {
            *keep.lock().expect("no panic") = Some(observed.path.clone());
        });
        get_by_library(&listened).await;
        let seen = seen.lock().expect("no panic");
        assert_eq!(seen.as_ref(), Some(path), "{}", self.name);
    }

    /// Opens the connections, lets the library learn its way, and checks that way.
    pub async fn warm(&self) {
        for work in CALLS {
            for _ in 0..3 {
                self.call(work).await;
            }
        }
        self.check_way().await;
    }
}

async fn get_by_sdk(client: &Client) {
    let mut key = Map::with_capacity(2);
    key.insert("customer".into(), S(CUSTOMER.into()));
    key.insert("number".into(), N(FIRST.to_string()));
    let get = client.get_item().table_name("orders").set_key(Some(key));
    let found = get.send().await.expect("an answer").item;
    black_box(found.and_then(by_hand::from_map).expect("an order"));
}

async fn put_by_sdk(client: &Client, order: &Order) {
    let put = client.put_item().table_name("orders");
    let put = put.set_item(Some(by_hand::to_map(order)));
    put.send().await.expect("an answer");
}

async fn get_by_library(db: &Dynamo) {
    let found = Order::key(CUSTOMER, FIRST).get().send(db).await;
    black_box(found.expect("an answer").expect("an order"));
}

async fn put_by_library(db: &Dynamo, order: &Order) {
    black_box(order.put().send(db).await.expect("an answer"));
}

fn client(address: &str, certificate: Option<&str>) -> Client {
    let mut config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("local", "local", None, None, "bench"))
        .endpoint_url(address)
        .retry_config(RetryConfig::standard());
    if let Some(certificate) = certificate {
        let trusted = TrustStore::empty().with_pem_certificate(certificate);
        let context = TlsContext::builder().with_trust_store(trusted).build();
        let http = Builder::new()
            .tls_provider(Provider::Rustls(CryptoMode::AwsLc))
            .tls_context(context.expect("a context"));
        config = config.http_client(http.build_https());
    }
    Client::from_conf(config.build())
}

/// A runtime with one thread, so that only one core is used.
pub fn runtime() -> Runtime {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().expect("a runtime")
}

/// Checks that all callers send the same requests.
pub fn requests_are_equal(has_tls: bool) {
    let seen = Arc::default();
    let identity = has_tls.then(Arc::<ServerIdentity>::default);
    let service = Service {
        seen: Some(Arc::clone(&seen)),
        identity: identity.clone(),
        gate: None,
    };
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let scheme = if has_tls { "https" } else { "http" };
    let address = format!("{scheme}://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || service.serve(listener));
    let runtime = runtime();
    let certificate = identity.as_deref().map(ServerIdentity::certificate);
    let mut first = HashMap::new();
    for caller in Caller::all(&address, certificate) {
        runtime.block_on(caller.warm());
        for work in CALLS {
            seen.lock().expect("no panic").clear();
            runtime.block_on(caller.call(work));
            let request = seen.lock().expect("no panic").pop().map(comparable);
            let request = request.expect("a request");
            let expected = first.entry(work.name()).or_insert_with(|| request.clone());
            let name = caller.name;
            assert_eq!(*expected, request, "{name} sends another request");
        }
    }
}
