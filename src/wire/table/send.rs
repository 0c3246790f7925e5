//! Sends an operation on a table: through the SDK, or directly to an engine in this process.

/// Sends an operation that was built with the SDK; the result is the SDK's output, or the error of this library.
macro_rules! sent {
    ($wire:expr, $operation:ident in $module:ident, $request:expr, $table:expr) => {
        async {
            let request = $request;
            let admitted = $wire
                .gate()
                .admit_operation(stringify!($operation), $table)?;
            #[cfg(feature = "embedded")]
            if let Some(engine) = $wire.engine()
                && let Ok(input) = request.as_input().clone().build()
                && let Some(prepared) = $crate::wire::embedded::PreparedOperation::of_operation(
                    &aws_sdk_dynamodb::operation::$module::$operation::new(),
                    input,
                )
            {
                return prepared.send_prepared(engine, admitted).await;
            }
            match request.send().await {
                Ok(output) => Ok(output),
                Err(error) => {
                    Err($crate::wire::failure::from_sdk(error, admitted.failure_context()).error)
                }
            }
        }
        .await
    };
}

pub(super) use sent;
