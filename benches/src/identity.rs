//! A certificate for one run, and the key behind it: nothing that could expire lies in the tree.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::PrivateKeyDer;

pub struct ServerIdentity {
    config: Arc<ServerConfig>,
    certificate: String,
}

impl ServerIdentity {
    /// Of a server on the loopback.
    pub fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]);
        let made = made.expect("a certificate");
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let config = ServerConfig::builder_with_provider(default_provider().into())
            .with_safe_default_protocol_versions()
            .expect("versions that the provider has")
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key);
        ServerIdentity {
            config: config.expect("the certificate of this key").into(),
            certificate: made.cert.pem(),
        }
    }

    /// As PEM, for those who are to trust it.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    pub fn config(&self) -> Arc<ServerConfig> {
        self.config.clone()
    }
}

impl Default for ServerIdentity {
    fn default() -> Self {
        Self::new()
    }
}
