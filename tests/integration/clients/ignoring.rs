//! An SDK that no longer uses the library's serializer.

use std::sync::Mutex;

use aws_smithy_runtime_api::client::interceptors::context::{
    BeforeSerializationInterceptorContextMut, BeforeSerializationInterceptorContextRef,
};
use aws_smithy_runtime_api::client::interceptors::{Intercept, dyn_dispatch_hint};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::client::ser_de::SharedRequestSerializer;
use aws_smithy_types::config_bag::ConfigBag;
use dynamo_entity::prelude::*;

use super::hooks::Done;
use crate::answers::rows::{Row, WORKS, row, work};
use crate::support::db::Db;
use crate::support::suite::Outcome;

/// Puts the SDK's own serializer back in its place. Works for one call at a time.
#[derive(Debug, Default)]
struct Ignoring(Mutex<Option<SharedRequestSerializer>>);

#[dyn_dispatch_hint]
impl Intercept for Ignoring {
    fn name(&self) -> &'static str {
        "Ignoring"
    }

    fn modify_before_serialization(
        &self,
        _: &mut BeforeSerializationInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        cfg: &mut ConfigBag,
    ) -> Done {
        *self.0.lock().unwrap() = cfg.load::<SharedRequestSerializer>().cloned();
        Ok(())
    }

    fn read_before_serialization(
        &self,
        _: &BeforeSerializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        cfg: &mut ConfigBag,
    ) -> Done {
        let own = self.0.lock().unwrap().clone().ok_or("a serializer")?;
        cfg.interceptor_state().store_put(own);
        Ok(())
    }
}

async fn reset(db: &Dynamo) -> Result<()> {
    for line in 0..4 {
        row("w", line).put().unchecked().send(db).await?;
    }
    Ok(())
}

/// Each operation is tried as the first one on its connection, and once more.
pub async fn an_sdk_that_ignores_us_does_the_same(db: Db) -> Outcome {
    db.create_tables([Row::schema()]).await?;
    for at in 0..WORKS {
        reset(&db).await?;
        let expected = work(&db, at).await;
        reset(&db).await?;
        let (config, http) = db.faulty_config([]);
        let ignored = db.through(config.interceptor(Ignoring::default()));
        assert_eq!(work(&ignored, at).await, expected);
        let first = http.calls().len();
        work(&ignored, at).await;
        let second = http.calls().len() - first;
        assert_eq!(first, second, "{}", expected.0);
    }
    Ok(())
}
