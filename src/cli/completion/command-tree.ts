import type { Command, Option } from 'commander'

export type Word = { readonly word: string; readonly description: string }

export type Flag = {
  /** Includes hyphens: `-f`, `--format`. */
  readonly names: readonly string[]
  readonly description: string
  readonly takesValue: boolean
  readonly choices: readonly string[]
}

/** A command with its full path, such as `tidemark key create`. */
export type CommandNode = {
  readonly path: string
  /** Subcommands, and the choices of the argument. */
  readonly words: readonly Word[]
  readonly flags: readonly Flag[]
}

/** A command and all its subcommands, without hidden ones. */
export function commandTree(command: Command, parentPath = ''): readonly CommandNode[] {
  const path = `${parentPath} ${command.name()}`.trim()
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const choices = command.registeredArguments.flatMap(({ argChoices, description }) =>
    (argChoices ?? []).map((word) => ({ word, description })),
  )
  const node = {
    path,
    words: [...commands.map((each) => ({ word: each.name(), description: each.description() })), ...choices],
    flags: help.visibleOptions(command).map(flagOf),
  }
  return [node, ...commands.flatMap((each) => commandTree(each, path))]
}

/** The paths of all commands except the root. */
export const pathsBelow = ([, ...nodes]: readonly CommandNode[]): readonly string[] => nodes.map(({ path }) => path)

export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function flagOf({ short, long, description, required, optional, argChoices }: Option): Flag {
  return {
    names: [short, long].filter((name) => name !== undefined),
    description,
    takesValue: required || optional,
    choices: argChoices ?? [],
  }
}
