/** Replaces yargs: commands register their options and subcommands here, and it records them. */

/**
 * @typedef {object} RecordedOption
 * @property {string} name
 * @property {boolean} isPositional
 * @property {{ describe?: string, type?: string, choices?: readonly unknown[], default?: unknown, alias?: string | readonly string[],
 *   array?: boolean, demandOption?: unknown, requiresArg?: boolean, hidden?: boolean }} settings
 */

/**
 * @typedef {object} RecordedCommand
 * @property {string} name words, such as `table scan`
 * @property {string} usage with its arguments
 * @property {string} describe
 * @property {RecordedOption[]} options
 * @property {{ command: string, describe: string }[]} examples
 * @property {RecordedCommand[]} parts subcommands
 */

/**
 * A command line and its details.
 * @param {string} parent words before the command's own name
 */
export function recorder(parent) {
  /** @type {RecordedOption[]} */
  const options = [];
  /** @type {RecordedCommand["examples"]} */
  const examples = [];
  /** @type {RecordedCommand[]} */
  const commands = [];
  /** @type {Record<string, (...args: any[]) => void>} */
  const heard = {
    option: (name, settings) => add(name, settings, false),
    options: (name, settings) => add(name, settings, false),
    positional: (name, settings) => add(name, settings, true),
    example: (command, describe) => void examples.push({ command: command.replace("$0", "cfile"), describe }),
    command: (module) => void commands.push(recordCommand(parent, module)),
  };

  /**
   * @param {string | Record<string, object>} name
   * @param {object} settings
   * @param {boolean} isPositional
   */
  function add(name, settings, isPositional) {
    const all = typeof name === "string" ? { [name]: settings } : name;
    for (const [key, value] of Object.entries(all)) {
      options.push({ name: key, settings: value, isPositional });
    }
  }

  /** @type {any} */
  const line = new Proxy(
    {},
    {
      // Other calls (checks, usage, conflicts) add nothing to the reference.
      get: (_, property) =>
        // Not a promise: `await` must return the recorder itself.
        property === "then"
          ? undefined
          : (/** @type {any[]} */ ...args) => {
              heard[String(property)]?.(...args);
              return line;
            },
    },
  );
  return { line, options, examples, commands };
}

/**
 * @param {string} parent
 * @param {{ command?: string | readonly string[], describe?: unknown, builder?: unknown }} module
 * @returns {RecordedCommand}
 */
function recordCommand(parent, { command, describe, builder }) {
  const usage = `${parent} ${[command ?? ""].flat()[0]}`;
  const name = usage.split(/ [<[]/)[0] ?? usage;
  const { line, options, examples, commands } = recorder(name);
  if (typeof builder === "function") {
    builder(line);
  } else {
    line.options(builder ?? {});
  }
  return { name, usage, describe: String(describe ?? ""), options, examples, parts: commands };
}
