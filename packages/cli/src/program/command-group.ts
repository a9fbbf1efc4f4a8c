/** Commands of commands: `cfile bloom check`. */
import type { Argv, CommandModule } from "yargs";

/**
 * @param addCommands adds the commands of the group
 * @param example of one of them, and what it shows
 */
export function commandGroup(
  name: string,
  describe: string,
  addCommands: (group: Argv) => Argv,
  example: readonly [command: string, description: string],
): CommandModule {
  return {
    command: name,
    describe,
    builder: (yargs: Argv) =>
      addCommands(yargs)
        .usage(`$0 ${name} <command>\n\n${describe}`)
        .demandCommand(1, `a command of ${name} is expected; cfile ${name} --help lists them`)
        .example(...example),
    handler: () => undefined,
  };
}
