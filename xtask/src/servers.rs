//! Set-up of the tests with engines: a Redis and a PostgreSQL, which the tests start for themselves.

use std::fs;
use std::path::PathBuf;

use crate::browsers::{Wanted, find_or_install, wanted};
use crate::failure::Failure;
use crate::found::Servers;
use crate::plan::{APT, Context, Plan, keep};
use crate::schedule::Room;
use crate::step::Step;

pub const SERVERS: &str = "Redis and PostgreSQL";

/// Their tests kill and restart servers and have jobs wait: more of them at once would be too slow for their own limits.
pub const JOBS: Room = Room {
    name: "servers",
    places: 2,
};

const REDIS: Wanted = wanted(
    "Redis or Valkey",
    "REDIS",
    &["redis-server", "valkey-server"],
    "redis-server",
);

const POSTGRES: Wanted = Wanted {
    beside: debian_postgres,
    ..wanted("PostgreSQL", "POSTGRES", &["postgres"], "postgresql")
};

pub fn steps() -> Vec<Plan> {
    vec![Plan::set_up(SERVERS, &[], find).room(APT)]
}

fn find(cx: &Context<'_>, step: &mut Step) -> Result<(), Failure> {
    let [redis, postgres] = find_or_install(step, [REDIS, POSTGRES])?;
    step.note(format!("{}, {}", redis.display(), postgres.display()));
    keep(&cx.servers, Servers { redis, postgres });
    Ok(())
}

/// Debian keeps each version in a folder that is not on PATH.
fn debian_postgres() -> Vec<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let programs = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin/postgres")));
    programs.filter(|path| path.is_file()).collect()
}
