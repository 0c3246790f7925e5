//! A certificate for one run and its private key. They are made anew, so that nothing in the repository can
//! expire.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::PrivateKeyDer;

pub struct ServerIdentity {
    config: Arc<ServerConfig>,
    certificate: String,
}

impl ServerIdentity {
    /// Makes the identity of a server on the loopback address.
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

    /// The certificate as PEM, for clients that have to trust it.
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
