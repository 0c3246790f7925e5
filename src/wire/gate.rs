//! The gate: every request to the service passes it with its operation, its table and its keys.
//!
//! Code that sends a request takes an [`Admitted`], and only the gate makes one. Therefore a rule for all requests,
//! such as a tenant that may use only its own keys, belongs here and nowhere else. `scripts/rooms` lists the files that
//! may send.
//!
//! A program that uses the SDK by [`Dynamo::client`](crate::dynamo::Dynamo::client) does not pass the gate.

use std::ops::Deref;
use std::sync::Arc;

use super::failure::FailureContext;
use super::request::Request;
use super::tenant::TenantRule;
use crate::error::Result;
use crate::runtime;

/// The gate of a connection, with the facts about the connection that its rules need.
#[derive(Debug, Clone, Default)]
pub(super) struct Gate {
    /// Whether the client's connections exist only in a runtime of tokio.
    needs_tokio: bool,
    /// The tenant whose keys alone may be used. Shared, because it is copied for every connection of the tenant.
    tenant: Option<Arc<TenantRule>>,
}

/// A request for items that has passed the gate.
///
/// Its table and its body are those of the [`Request`]. A request for several tables has the first one there and the
/// others in its body; [`PartitionFinder`](super::partition_key::PartitionFinder) finds the keys of all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Admitted<'r>(&'r Request);

impl Deref for Admitted<'_> {
    type Target = Request;

    fn deref(&self) -> &Request {
        self.0
    }
}

/// An operation on a table that has passed the gate. It has no keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct AdmittedOperation<'t> {
    operation: &'t str,
    table: &'t str,
}

impl<'t> AdmittedOperation<'t> {
    /// The site of its failure.
    pub(super) fn failure_context(self) -> FailureContext<'t> {
        FailureContext::of_harmless(self.operation, self.table)
    }
}

impl Gate {
    /// For a client that the library has built on its own sockets.
    #[cfg(feature = "aws")]
    pub(super) fn of_sockets() -> Self {
        Gate {
            needs_tokio: true,
            tenant: None,
        }
    }

    /// For another client of the same connection.
    pub(super) fn of_another_client(&self) -> Self {
        Gate {
            needs_tokio: false,
            tenant: self.tenant.clone(),
        }
    }

    /// For a tenant. A gate of another tenant does not become one of this, and a gate of the same tenant keeps its rule.
    pub(super) fn for_tenant(&self, tenant: TenantRule) -> Result<Self> {
        match &self.tenant {
            None => Ok(Gate {
                tenant: Some(Arc::new(tenant)),
                ..self.clone()
            }),
            // A rule with other tables could admit keys that the known one rejects.
            Some(known) if known.is_same_tenant(&tenant) => Ok(self.clone()),
            Some(_) => Err(TenantRule::other_tenant_error()),
        }
    }

    /// Fails for an operation that concerns all tenants, on a connection of one.
    pub(super) fn require_no_tenant(&self, operation: &str) -> Result<()> {
        match &self.tenant {
            Some(_) => Err(TenantRule::operation_error(operation)),
            None => Ok(()),
        }
    }

    /// Admits a request for items, or returns the reason for which it is not sent.
    pub(super) fn admit_request<'r>(&self, request: &'r Request) -> Result<Admitted<'r>> {
        self.require_runtime()?;
        if let Some(tenant) = &self.tenant {
            tenant.check_request(request)?;
        }
        Ok(Admitted(request))
    }

    /// Admits an operation on a table, or returns the reason for which it is not sent.
    pub(super) fn admit_operation<'t>(
        &self,
        operation: &'t str,
        table: &'t str,
    ) -> Result<AdmittedOperation<'t>> {
        self.require_runtime()?;
        self.require_no_tenant(operation)?;
        Ok(AdmittedOperation { operation, table })
    }

    /// Fails where the sockets of a client that the library built would panic.
    pub(super) fn require_runtime(&self) -> Result<()> {
        match self.needs_tokio {
            // The sockets of the SDK panic outside of a runtime of tokio. Clients of the user and
            // the embedded engine may have other connections, so nothing is required of them.
            true => runtime::require_tokio(),
            false => Ok(()),
        }
    }
}
