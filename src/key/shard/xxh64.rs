//! XXH64 with the seed 0, by its specification:
//! <https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>. Stored keys contain its result, so it never changes.

const PRIME_1: u64 = 0x9E37_79B1_85EB_CA87;
const PRIME_2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const PRIME_3: u64 = 0x1656_67B1_9E37_79F9;
const PRIME_4: u64 = 0x85EB_CA77_C2B2_AE63;
const PRIME_5: u64 = 0x27D4_EB2F_1656_67C5;

pub(super) fn xxh64(bytes: &[u8]) -> u64 {
    let (stripes, mut rest) = bytes.as_chunks::<32>();
    let mut hash = match stripes {
        [] => PRIME_5,
        stripes => merge_lanes(stripes),
    };
    hash = hash.wrapping_add(bytes.len() as u64);
    while let Some((lane, behind)) = rest.split_first_chunk() {
        hash = (hash ^ mix_lane(0, u64::from_le_bytes(*lane))).rotate_left(27);
        hash = hash.wrapping_mul(PRIME_1).wrapping_add(PRIME_4);
        rest = behind;
    }
    if let Some((lane, behind)) = rest.split_first_chunk() {
        let lane = u64::from(u32::from_le_bytes(*lane)).wrapping_mul(PRIME_1);
        hash = (hash ^ lane).rotate_left(23);
        hash = hash.wrapping_mul(PRIME_2).wrapping_add(PRIME_3);
        rest = behind;
    }
    for byte in rest {
        hash = (hash ^ u64::from(*byte).wrapping_mul(PRIME_5)).rotate_left(11);
        hash = hash.wrapping_mul(PRIME_1);
    }
    mix_bits(hash)
}

/// Runs four lanes through all whole stripes and joins them.
fn merge_lanes(stripes: &[[u8; 32]]) -> u64 {
    let mut lanes = [
        PRIME_1.wrapping_add(PRIME_2),
        PRIME_2,
        0,
        0u64.wrapping_sub(PRIME_1),
    ];
    for stripe in stripes {
        for (lane, input) in lanes.iter_mut().zip(stripe.as_chunks().0) {
            *lane = mix_lane(*lane, u64::from_le_bytes(*input));
        }
    }
    let turned = lanes.iter().zip([1, 7, 12, 18]);
    let sum = turned.fold(0u64, |sum, (lane, turn)| {
        sum.wrapping_add(lane.rotate_left(turn))
    });
    lanes.iter().fold(sum, |hash, lane| {
        (hash ^ mix_lane(0, *lane))
            .wrapping_mul(PRIME_1)
            .wrapping_add(PRIME_4)
    })
}

fn mix_lane(lane: u64, input: u64) -> u64 {
    lane.wrapping_add(input.wrapping_mul(PRIME_2))
        .rotate_left(31)
        .wrapping_mul(PRIME_1)
}

fn mix_bits(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 33)).wrapping_mul(PRIME_2);
    hash = (hash ^ (hash >> 29)).wrapping_mul(PRIME_3);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::xxh64;

    /// Texts that implementations are commonly tested with, of lengths around which the algorithm branches.
    #[test]
    fn texts_have_their_published_hashes() {
        for (text, hash) in [
            ("", 0xef46_db37_51d8_e999),
            ("a", 0xd24e_c4f1_a98c_6e5b),
            ("abc", 0x44bc_2cf5_ad77_0999),
            (
                "Call me Ishmael. Some years ago--never mind how long precisely-",
                0x02a2_e854_70d6_fd96,
            ),
        ] {
            assert_eq!(xxh64(text.as_bytes()), hash, "{text:?}");
        }
    }

    /// The self-test of the reference implementation: a generated buffer, cut at several lengths.
    #[test]
    fn the_reference_buffer_has_its_published_hashes() {
        let mut state = 2_654_435_761u64;
        let buffer: Vec<u8> = std::iter::repeat_with(|| {
            let byte = (state >> 56) as u8;
            state = state.wrapping_mul(11_400_714_785_074_694_797);
            byte
        })
        .take(222)
        .collect();
        for (length, hash) in [
            (0, 0xef46_db37_51d8_e999),
            (1, 0xe934_a84a_db05_2768),
            (4, 0x9136_a0dc_a574_57ee),
            (14, 0x8282_dcc4_994e_35c8),
            (222, 0xb641_ae8c_b691_c174),
        ] {
            assert_eq!(xxh64(&buffer[..length]), hash, "{length}");
        }
    }
}
