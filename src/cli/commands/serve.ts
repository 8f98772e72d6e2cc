import closeWithGrace from 'close-with-grace'
import { Command } from 'commander'
import type { Context } from '../context.ts'
import { basePathOption, configOption, dataOption, hostOption, portOption } from '../options.ts'

type ServeOptions = {
  config: string
  data: string
  port: number
  host: string
  basePath: string
  runner: boolean
  deadlines: boolean
  alerts: boolean
}

export function serveCommand(context: Context): Command {
  return new Command('serve')
    .description('Run the checks of the config file, store their results, and serve the API and the page.')
    .addOption(configOption(context))
    .addOption(dataOption(context))
    .addOption(portOption(context))
    .addOption(hostOption(context))
    .addOption(basePathOption(context))
    .option('--no-runner', 'do not run checks; missed pings are still recorded')
    .option('--no-deadlines', 'do not record missed pings as failures')
    .option('--no-alerts', 'do not send alerts; other processes on the same database do')
    .action(async ({ config: configFile, data: dataDir, ...rest }: ServeOptions) => {
      const { startServer } = await import('../server.ts')
      const starting = startServer(context, { configFile, dataDir, ...rest })
      const grace = closeGracefully(context, { close: async () => (await starting).close() })
      starting.catch(grace.uninstall)
      context.stdout.write(`Tidemark listening on ${(await starting).url}\n`)
    })
}

/** Graceful shutdown on a signal or an uncaught error; the error is printed. */
export function closeGracefully({ stderr }: Context, server: { close(): Promise<void> }) {
  return closeWithGrace({ delay: 20_000, logger: false }, async ({ err }) => {
    if (err) stderr.write(`${err.stack}\n`)
    await server.close()
  })
}
