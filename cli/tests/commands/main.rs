//! Checks the command line as processes: on the embedded engine, in a file, or on the server that `DYNAMO_URL` names.
//!
//! ```text
//! cargo test -p dynamo-entity-cli
//! scripts/dynamodb-local cargo test -p dynamo-entity-cli
//! ```
//!
//! The processes are this one, called anew with the name of a program.

use std::process::ExitCode;

use dynamo_entity::DynamoTable;
use dynamo_entity_cli::App;
use libtest_mimic::{Arguments, Trial};

macro_rules! programs {
    ($($name:ident = $path:literal)*) => {$(
        #[allow(dead_code)]
        #[path = $path]
        mod $name;
    )*};
}

programs! {
    iot_meters = "../../../examples/iot_meters.rs"
    orders = "../../../examples/orders.rs"
    organisations = "../../../examples/organisations.rs"
    shop_admin = "../../examples/shop_admin.rs"
    shop_directory = "../../../examples/shop_directory.rs"
    status_shards = "../../../examples/status_shards.rs"
}

mod adopt;
mod analytics;
mod collections;
mod consumers;
mod copy;
mod environments;
mod failures;
mod files;
mod fill;
mod formats;
mod forms;
mod grids;
mod help;
mod hostile;
mod names;
mod pages;
mod parked;
mod place;
mod requests;
mod served;
mod tables;
mod tail;
mod writes;

use place::{PROGRAM, Place};

/// Declares the tests of a module by their functions.
macro_rules! trials {
    ($($test:path),* $(,)?) => {
        vec![$(
            Trial::test(stringify!($test), || {
                $test(&Place::open()?)?;
                Ok(())
            })
        ),*]
    };
}

fn main() -> ExitCode {
    match std::env::var(PROGRAM).as_deref() {
        Ok("shop") => run(shop_admin::app()),
        Ok("examples") => run(requests::app()),
        Ok("fill") => run(fill::app()),
        Ok("shapes") => run(fill::shapes()),
        Ok("renamed") => run(fill::renamed()),
        Ok("filling-parcels") => run(fill::filling_parcels()),
        Ok("new-parcels") => run(fill::new_parcels()),
        Ok("forms") => run(forms::app()),
        Ok("names") => run(names::app()),
        Ok("typed") => run(names::typed()),
        Ok("parked") => run(parked::app()),
        Ok("tail") => run(tail::app()),
        Ok("consumers") => run(consumers::app()),
        Ok("environments") => run(environments::app()),
        Ok("adopt") => run(adopt::app()),
        Ok("twice") => run(environments::twice()),
        Ok("todos") => run(App::new([help::Todo::schema()])),
        Ok("logs") => run(App::new([tables::Log::schema()])),
        Ok(other) => panic!("there is no program `{other}`"),
        Err(_) => {
            let trials = trials![
                adopt::declarations_are_those_of_the_tests,
                adopt::what_cannot_be_adopted_is_explained,
                analytics::statements_are_exported,
                analytics::exports_to_s3_are_started,
                collections::a_collection_is_read_by_its_partition,
                collections::a_collection_is_shown_and_suggested,
                consumers::consumers_and_alarms_are_exported,
                consumers::a_stack_that_changes_keeps_its_consumers,
                consumers::a_function_has_a_policy_of_its_own,
                consumers::filters_are_exported,
                consumers::use_cases_are_exported,
                copy::an_entity_is_copied_to_a_file_and_back,
                copy::a_masked_copy_has_pseudonyms,
                copy::a_copy_has_to_be_meant,
                copy::a_killed_copy_is_resumed,
                copy::taken_values_are_copied_by_entity,
                copy::one_file_has_many_paths,
                environments::an_environment_sets_and_demands,
                environments::unknown_environments_are_refused,
                failures::exit_codes_tell_how_it_ended,
                failures::wrong_names_are_explained,
                failures::wrong_parts_are_explained,
                failures::parts_come_in_their_order,
                failures::a_missing_file_is_not_created,
                failures::options_and_no_methods_are_named,
                failures::questions_without_an_answer_are_explained,
                failures::a_connection_is_asked_for,
                files::an_entity_is_listed_by_pages,
                files::any_item_is_shown_by_its_stored_key,
                files::lines_are_read_from_the_standard_input,
                files::a_list_on_aws_has_to_be_meant,
                files::a_file_brings_back_what_was_exported,
                files::lines_that_fail_are_told_and_others_stored,
                files::files_of_another_format_are_recognized,
                formats::csv_brings_back_what_was_exported,
                formats::names_tell_that_lines_are_compressed,
                formats::a_folder_brings_back_what_was_exported,
                formats::what_was_killed_goes_on,
                fill::old_rows_are_filled_and_counted,
                fill::a_row_that_cannot_be_filled_is_told,
                fill::an_entity_without_derived_parts_has_nothing_to_fill,
                fill::an_expiry_and_a_shape_are_filled,
                fill::a_value_under_either_name_is_put,
                fill::the_shape_of_an_item_is_given,
                fill::a_killed_fill_is_resumed,
                fill::deployments_are_remembered,
                forms::values_of_all_types_come_back,
                forms::a_key_alone_holds_a_field,
                forms::numbers_with_a_fraction_are_key_parts,
                forms::times_that_are_keys_are_written_in_any_spelling,
                forms::what_is_append_only_is_created,
                forms::members_that_nothing_reads_are_refused,
                grids::a_table_is_shown_by_partition_and_entity,
                grids::a_table_is_read_by_pages,
                help::entities_and_patterns_are_shown,
                help::only_what_parts_take_is_offered,
                help::shells_are_given_completions,
                help::no_colours_where_no_terminal_is,
                hostile::values_do_not_reach_the_terminal_raw,
                hostile::json_keeps_hostile_values,
                hostile::a_closed_pipe_ends_quietly,
                hostile::exit_codes_do_not_depend_on_readers,
                hostile::what_nobody_hears_of_is_applied,
                hostile::a_full_disk_does_not_stop_an_apply,
                names::every_name_of_an_index_is_taken_as_it_is_printed,
                names::a_name_that_means_two_indexes_is_refused,
                names::an_index_that_has_to_go_first_is_named,
                names::bash_completes_programs_with_dashes,
                pages::pages_are_the_typed_pages,
                pages::all_rows_come_in_either_order,
                pages::ranges_are_those_of_rust,
                pages::rows_are_counted,
                pages::strong_reads_see_everything,
                parked::parked_changes_are_listed_and_shown,
                parked::parked_changes_are_replayed,
                parked::parked_changes_are_dropped,
                parked::a_crash_after_an_effect_is_reported,
                requests::keys_are_written_as_typed,
                requests::counts_are_explained_as_typed,
                requests::writes_are_explained_as_typed,
                tail::changes_are_shown_from_their_start,
                tail::changes_continue_at_a_position,
                tail::changes_continue_after_those_of_the_last_run,
                tail::tables_and_starts_that_do_not_fit_are_explained,
                served::a_file_is_served_to_other_processes,
                served::a_server_sets_the_variables_of_a_shell,
                tables::tables_are_planned_and_made,
                tables::a_loss_has_to_be_named,
                tables::what_cannot_be_done_is_refused_at_once,
                tables::the_ttl_of_others_is_kept,
                tables::tables_are_exported,
                tables::lints_are_told,
                tables::a_changed_form_is_told,
                tables::a_stack_is_led_on_step_by_step,
                writes::an_item_is_put_and_read,
                writes::versions_are_checked,
                writes::unique_values_have_one_owner,
                writes::indexes_follow,
                writes::a_delete_has_to_be_meant,
                writes::what_is_not_allowed_is_explained,
            ];
            libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
        }
    }
}

fn run(app: App) -> ExitCode {
    place::runtime().block_on(app.run())
}
