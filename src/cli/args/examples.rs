//! Examples at the end of the help of each command.

use clap::Command;

/// The commands with their examples. The tests run all command lines in a folder with the files
/// that they name.
const EXAMPLES: [(&str, &str); 28] = [
    (
        "plansift",
        r"  # Show what a plan changes, on one screen
  plansift summary tfplan
  # Write a comment, and exit with 3 if the plan destroys a database
  plansift report tfplan -o markdown --fit github --fail-on 'destroy:aws_db_*'
  # Write a copy of a plan without secrets
  plansift redact plan.json -o safe.json",
    ),
    (
        "summary",
        r"  # Show what a plan changes
  plansift summary tfplan
  # Show a table of the plans in a folder, those that destroy most first
  plansift summary plans/ --sort destroy
  # Write the counts and losses for a program or a model, in at most 4000 bytes
  plansift summary tfplan --format json --max-bytes 4000",
    ),
    (
        "changes",
        r#"  # List what a plan deletes
  plansift changes tfplan | jq -r 'select(.action == "delete").address'
  # Write the changes of all plans in a folder for a spreadsheet
  plansift changes plans/ --format csv -o changes.csv
  # Exit with 3 if the plan changes more than 200 resources
  plansift changes tfplan -o changes.ndjson --fail-on 'changes>200'"#,
    ),
    (
        "report",
        r"  # Show a module with all values, without updates of only tags
  plansift report tfplan --only module.dns --ignore tags-only --full
  # Write a comment for a pull request, and a page for the browser
  plansift report tfplan -o markdown=plan.md --fit github -o html=plan.html
  # Show the most severe changes in a text of about 2000 tokens
  plansift report tfplan -o compact --max-tokens 2000",
    ),
    (
        "assert",
        r#"  # Check that a plan keeps all databases
  plansift assert tfplan \
    -e 'resource: "aws_db_*", not_action: destroy, optional: true'
  # Write assertions that a plan passes, as a file to edit
  plansift assert plan.json --init -o assertions.yaml
  # Check the assertions in a file, and write a report of tests
  plansift assert plan.json --file assertions.yaml --format junit"#,
    ),
    (
        "compare",
        r"  # Exit with 3 if a new plan does more than the approved plan
  plansift compare approved.tfplan tfplan --fail-on more
  # Compare planned values, except for tags
  plansift compare approved.tfplan tfplan --level values --ignore-path tags
  # Compare the plans in two folders, paired by workspace
  plansift compare yesterday/ plans/",
    ),
    (
        "approve",
        r"  # Write what a plan does to a file, for a later `plansift compare`
  plansift approve tfplan -o approval.json
  # Approve addresses and actions only
  plansift approve tfplan --level actions -o approval.json",
    ),
    (
        "digest",
        r"  # Print a line that is the same for plans that do the same
  plansift digest tfplan
  # Identify each plan in a folder, with its values
  plansift digest plans/ --level values --key-file key",
    ),
    (
        "batch",
        r"  # Read the plans in a folder; a rerun reads only what is new or has changed
  plansift batch plans/ --out fleet
  # Read one of two parts of the plans, for `plansift merge`
  plansift batch plans/ --shard 1/2 --out part-1",
    ),
    (
        "merge",
        r"  # Write a page and a comment about all workspaces
  plansift merge fleet -o html=fleet.html -o markdown=fleet.md
  # Show what is new since yesterday
  plansift merge fleet --since fleet-yesterday
  # Join the reports of two parts
  plansift merge part-1 part-2",
    ),
    (
        "resources",
        r"  # List the resources of a state
  plansift resources terraform.tfstate
  # Count the resources of all plans in a folder by type
  plansift resources plans/ --group-by type
  # Write the classes of all databases as CSV
  plansift resources plan.json --only 'aws_db_*' --select instance_class -f csv",
    ),
    (
        "outputs",
        r"  # List the outputs of a state
  plansift outputs terraform.tfstate
  # Write the outputs after a plan with their values, without secrets
  plansift outputs tfplan --values --format json",
    ),
    (
        "variables",
        r"  # List the variables of a plan
  plansift variables tfplan
  # Write the variables of all plans with their values, without secrets
  plansift variables plans/ --values --format csv",
    ),
    (
        "checks",
        r"  # List the checks of a plan, with their problems
  plansift checks plan.json
  # Exit with 3 if a check fails
  plansift checks plan.json --fail-on check",
    ),
    (
        "redact",
        r"  # Write a copy of a plan without secrets
  plansift redact plan.json -o safe.json
  # Mask more, and audit the result, for a language model
  plansift redact plan.json --for-agent --also-names '^pin$' -o agent.json",
    ),
    (
        "audit",
        r"  # List where a plan has secrets, without their values
  plansift audit plan.json
  # Exit with 3 if an unmarked value repeats a secret
  plansift audit plans/ --fail-on-echo",
    ),
    (
        "slim",
        r"  # Write the changes and outputs of a plan, without secrets, for a policy
  plansift slim plan.json -o slim.json
  # Write them for a language model, and audit the result
  plansift slim tfplan --for-agent -o agent.json
  # Keep two attributes of the databases
  plansift slim plan.json --only 'aws_db_*' --paths tags --paths engine",
    ),
    (
        "show",
        r"  # Write a plan file as JSON
  plansift show tfplan -o full.json
  # Mask its secrets
  plansift show tfplan --redact | jq .planned_values",
    ),
    (
        "config",
        r"  # List the elements of the configuration
  plansift config plan.json
  # List everything that depends on a module
  plansift config plan.json --dependents module.network
  # Draw the modules
  plansift config plan.json --format mermaid --graph modules",
    ),
    (
        "blocks",
        r"  # List the blocks of a root module
  plansift blocks infra
  # List the errors in its files
  plansift blocks infra --check",
    ),
    (
        "wire",
        r"  # Decode a text
  plansift wire decode --type string --hex a3666f6f
  # Check a value from a provider against its schema
  plansift wire check --schema schemas.json --resource shop_order order.msgpack",
    ),
    (
        "decode",
        r#"  # Decode a list whose second element is unknown
  plansift wire decode --type '["list","string"]' --hex 92a161d40000
  # Decode a value from a provider by its schema
  plansift wire decode --schema schemas.json --resource shop_order order.msgpack"#,
    ),
    (
        "encode",
        r"  # Encode a text
  plansift wire decode --hex a3666f6f | plansift wire encode --type string
  # Write JSON in place of MessagePack
  plansift wire decode --hex a3666f6f | plansift wire encode --form json",
    ),
    (
        "check",
        r"  # Check a text
  plansift wire check --type string --hex a3666f6f
  # Check a value from a provider against its schema
  plansift wire check --schema schemas.json --resource shop_order order.msgpack",
    ),
    (
        "mcp",
        r#"  # Serve the plans in a folder to a client, which starts this command
  plansift mcp --root plans/
  # Send a message without a client
  echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | plansift mcp --root plans/"#,
    ),
    (
        "schema",
        r"  # Print the schema of the output of `changes`
  plansift schema
  # Write the schema of files of assertions, for an editor
  plansift schema --of assertions > assertions.schema.json",
    ),
    (
        "completions",
        r"  # Write the completions for bash, and load them with `source` in ~/.bashrc
  plansift completions bash > ~/.plansift.bash
  # Install the completions for fish
  mkdir -p ~/.config/fish/completions && \
    plansift completions fish > ~/.config/fish/completions/plansift.fish
  # Install the completions for zsh, which finds them by `fpath+=~/.zfunc`
  mkdir -p ~/.zfunc && plansift completions zsh > ~/.zfunc/_plansift",
    ),
    (
        "man",
        r"  # Read the page of a command
  plansift man report | man -l -
  # Write the page of `plansift wire decode` to a file
  plansift man wire-decode > plansift-wire-decode.1",
    ),
];

/// Returns the examples of a command, or of `plansift` itself.
///
/// # Panics
///
/// Panics if the command has none.
pub(super) fn of(command: &str) -> &'static str {
    let found = EXAMPLES.iter().find(|(name, _)| *name == command);
    let Some((_, examples)) = found else { panic!("the command {command} has no examples") };
    examples
}

/// Returns the end of the help of a command.
pub(super) fn help(command: &str) -> String {
    format!("Examples:\n{}", of(command))
}

/// Adds the examples to the help of a command and of all commands below it.
pub(super) fn added(command: Command) -> Command {
    let examples = help(command.get_name());
    command.after_help(examples).mut_subcommands(added)
}
