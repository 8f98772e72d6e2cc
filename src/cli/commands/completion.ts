import { Argument, Command } from 'commander'
import { bashCompletion } from '../completion/bash.ts'
import { commandTree } from '../completion/command-tree.ts'
import { fishCompletion } from '../completion/fish.ts'
import { zshCompletion } from '../completion/zsh.ts'
import type { Context } from '../context.ts'

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const

export function completionCommand({ stdout }: Context): Command {
  return new Command('completion')
    .description('Print a script that completes commands, options and their values in a shell.')
    .addArgument(new Argument('<shell>', 'the shell to print it for').choices(Object.keys(shells)))
    .action((shell: keyof typeof shells, _: object, command: Command) => {
      stdout.write(shells[shell](commandTree(command.parent ?? command)))
    })
}
