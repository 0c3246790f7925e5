# For scripts that build a copy of the tracked files with what the registry has now. They source this, and define `say`.

# The status of a script that cannot reach the registry, which is no pass.
unreachable=75

# Ends the script if the registry cannot be reached. The probe in $1 is a crate of one small dependency: if not even that
# can be looked up, nothing can.
need_registry() {
    rm -rf "$1"
    mkdir -p "$1/src"
    touch "$1/src/lib.rs"
    printf '%s\n' '[workspace]' '[package]' 'name = "probe"' 'edition = "2024"' '[dependencies]' 'itoa = "1"' \
        >"$1/Cargo.toml"
    (cd "$1" && cargo update --quiet) || skip_without_registry
}

skip_without_registry() {
    say "SKIPPED: the registry cannot be reached"
    exit "$unreachable"
}

# Copies the tracked files to $1 and goes there. Each file keeps its age, so that what is built stays.
enter_copy() {
    rm -rf "$1"
    mkdir -p "$1"
    git ls-files -z | while IFS= read -r -d '' file; do
        [ ! -e "$file" ] || printf '%s\0' "$file"
    done | tar --null -T - -cf - | tar -xf - -C "$1"
    cd "$1"
}
