//! The one integration-test binary. Its modules are marked as tests, so that
//! what clippy allows in tests is allowed in their helpers too.

#[cfg(test)]
mod store_crash;
