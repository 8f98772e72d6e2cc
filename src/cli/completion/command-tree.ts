import type { Command, Option } from 'commander'

/** A word that can be typed, with its description. */
export type Word = { readonly word: string; readonly description: string }

export type Flag = {
  /** With their hyphens: `-f`, `--format`. */
  readonly names: readonly string[]
  readonly description: string
  readonly takesValue: boolean
  readonly choices: readonly string[]
}

/** A command by its path, such as `tidemark key create`. */
export type CommandNode = {
  readonly path: string
  /** Its commands, and the choices of its argument. */
  readonly words: readonly Word[]
  readonly flags: readonly Flag[]
}

/** A command and all commands below it, as their help shows them. */
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

/** The paths of all commands but the first. */
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
