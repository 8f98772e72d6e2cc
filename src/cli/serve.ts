import closeWithGrace from 'close-with-grace'
import { Command } from 'commander'
import type { Context } from './context.ts'
import { configOption, dataOption, hostOption, portOption } from './options.ts'

type ServeOptions = { config: string; data: string; port: number; host: string; runner: boolean; deadlines: boolean }

export function serveCommand(context: Context): Command {
  return new Command('serve')
    .description('Run the checks of the config file, keep their results, and answer questions about them.')
    .addOption(configOption(context))
    .addOption(dataOption(context))
    .addOption(portOption(context))
    .addOption(hostOption(context))
    .option('--no-runner', 'run no check; results come from elsewhere, and pings that stay away are still noticed')
    .option('--no-deadlines', 'file no failure for a ping that stays away')
    .action(async ({ config: configFile, data: dataDir, ...rest }: ServeOptions) => {
      const { startServer } = await import('./server.ts')
      const starting = startServer(context, { configFile, dataDir, ...rest })
      const grace = closeGracefully(context, { close: async () => (await starting).close() })
      starting.catch(grace.uninstall)
      context.stdout.write(`Tidemark listening on ${(await starting).url}\n`)
    })
}

/** A signal ends the process in good order; an error that nobody caught ends it, too, and is told. */
export function closeGracefully({ stderr }: Context, server: { close(): Promise<void> }) {
  return closeWithGrace({ delay: 20_000, logger: false }, async ({ err }) => {
    if (err) stderr.write(`${err.stack}\n`)
    await server.close()
  })
}
