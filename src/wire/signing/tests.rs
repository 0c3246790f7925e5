//! Ours beside the SDK's.
