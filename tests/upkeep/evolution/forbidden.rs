//! For each pair of programs that must not run at the same time: a history that breaks, and the same steps by programs
//! that may run at the same time.

use super::declared::Stage;
use super::program::{Op, Row};

pub struct Broken {
    pub change: &'static str,
    pub why: &'static str,
    pub stage: Stage,
    pub steps: Vec<(usize, Op)>,
    /// The same steps by programs that may run at the same time.
    pub allowed: Stage,
    pub instead: Vec<(usize, Op)>,
}

fn broken<const S: usize>(
    change: &'static str,
    why: &'static str,
    pair: [usize; 2],
    steps: [(usize, Op); S],
    instead: &[[usize; 2]],
) -> Broken {
    // Each program is replaced by another one.
    let other = |program: usize| {
        let mut replaced = instead.iter().filter(|[from, _]| *from == program);
        replaced.next().map_or(program, |[_, to]| *to)
    };
    Broken {
        change,
        why,
        stage: Stage::of(pair),
        allowed: Stage::of(pair.map(other)),
        instead: match instead.is_empty() {
            true => Vec::new(),
            false => {
                let moved = steps.iter().map(|(at, op)| (other(*at), op.clone()));
                moved.collect()
            }
        },
        steps: steps.into(),
    }
}

fn create(program: usize) -> (usize, Op) {
    let name = "a".to_owned();
    let (count, total) = (Some(1), 1);
    (program, Op::Create(Row { name, count, total }))
}

pub fn broken_histories() -> Vec<Broken> {
    let total = |program| (program, Op::SetTotal(2));
    let mut all = vec![
        broken(
            "required",
            "the old name is dropped",
            [0, 2],
            [create(0), total(2)],
            &[[2, 1]],
        ),
        broken(
            "required",
            "the old name is not written",
            [0, 3],
            [create(0), total(3)],
            &[[3, 1]],
        ),
        broken(
            "required",
            "the old name is stale",
            [1, 3],
            [create(1), total(3)],
            &[[3, 2]],
        ),
        broken(
            "required",
            "going back after a drop",
            [0, 1],
            [create(1), total(2)],
            &[[2, 1]],
        ),
    ];
    let remove = |program| (program, Op::SetCount(None));
    all.extend([
        broken(
            "optional",
            "the new name outlives a removal",
            [0, 2],
            [create(2), remove(0)],
            &[[2, 1]],
        ),
        broken(
            "optional",
            "the old name is dropped",
            [0, 3],
            [create(0), total(3)],
            &[[3, 1]],
        ),
        broken(
            "optional",
            "the old name is not written",
            [0, 4],
            [create(0), total(4)],
            &[[4, 1]],
        ),
        broken(
            "optional",
            "the old name is read alone",
            [1, 3],
            [create(1), total(3)],
            &[[3, 2]],
        ),
        broken(
            "optional",
            "the old name is stale",
            [1, 4],
            [create(1), total(4)],
            &[[4, 2]],
        ),
        broken(
            "optional",
            "the old name is stale",
            [2, 4],
            [create(2), total(4)],
            &[[4, 3]],
        ),
    ]);
    let fill = |program| (program, Op::Fill(None));
    let name = |program| (program, Op::ModifyName("b".to_owned()));
    for change in ["index", "unique"] {
        all.extend([
            broken(
                change,
                "old rows are not found",
                [0, 2],
                [create(0)],
                &[[0, 1]],
            ),
            broken(
                change,
                "old rows are not filled",
                [1, 2],
                [create(0)],
                &[[0, 1]],
            ),
            broken(
                change,
                "old rows are written after the fill",
                [1, 2],
                [create(0), fill(1), name(0)],
                &[[0, 1]],
            ),
        ]);
    }
    let modify = |program| (program, Op::Modify(2, 1));
    for change in ["versioned", "unversioned"] {
        all.extend([
            broken(
                change,
                "the new shape is unknown",
                [0, 3],
                [create(0), modify(3)],
                &[[0, 2]],
            ),
            broken(
                change,
                "an old program changes a new row",
                [2, 3],
                [create(0), modify(3), total(0)],
                &[[0, 2]],
            ),
            broken(
                change,
                "the old shape is forgotten",
                [2, 4],
                [create(2)],
                &[[4, 3]],
            ),
        ]);
    }
    all.extend([
        broken(
            "moved",
            "the new row is not written",
            [0, 2],
            [create(0)],
            &[[0, 1]],
        ),
        broken(
            "moved",
            "the new row is not written",
            [0, 3],
            [create(0)],
            &[[0, 2]],
        ),
        broken(
            "moved",
            "the old row is not written",
            [0, 4],
            [create(4)],
            &[[4, 1]],
        ),
        broken(
            "moved",
            "the old row is stale",
            [1, 3],
            [create(1), total(3)],
            &[[3, 2]],
        ),
        broken(
            "moved",
            "the old row is not written",
            [1, 4],
            [create(4)],
            &[[4, 2]],
        ),
    ]);
    let mut expiry = broken(
        "expiry",
        "old rows do not expire",
        [1, 1],
        [create(0), fill(1), total(0)],
        &[[0, 1]],
    );
    expiry.stage = expiry.stage.filled();
    expiry.allowed = expiry.allowed.filled();
    all.push(expiry);
    all
}
