import { randomBytes } from 'node:crypto'
import { Command } from 'commander'
import type { Check } from '../../catalogue/catalogue.ts'
import { CommandFailure, type Context } from '../context.ts'
import { backfill } from '../demo/backfill.ts'
import { demoAccount, openDemoFolder } from '../demo/folder.ts'
import { goLive, type StartedTarget } from '../demo/go-live.ts'
import { oneTimeCode } from '../demo/one-time-code.ts'
import { questionLines } from '../demo/questions.ts'
import { startTarget } from '../demo/target.ts'
import { basePathOption, hostOption, portOption } from '../options.ts'
import { progressBar } from '../terminal/progress.ts'
import { closeGracefully } from './serve.ts'

type DemoOptions = { data: string; port: number; host: string; basePath: string }

export function demoCommand(context: Context): Command {
  return new Command('demo')
    .description('Serve a demo with thirty days of generated results for each check type.')
    .option('-d, --data <folder>', 'the folder of the demo', './demo-data')
    .addOption(portOption(context))
    .addOption(hostOption(context))
    .addOption(basePathOption(context))
    .action((options: DemoOptions) => demo(context, options))
}

async function demo(context: Context, { data, port, host, basePath }: DemoOptions): Promise<void> {
  const { startServer } = await import('../server.ts')
  const folder = await openDemoFolder(data, context.now()).catch((error: NodeJS.ErrnoException) => {
    throw error.code
      ? new CommandFailure(`The demo cannot be stored in ${data} (${error.code}). Choose another folder with --data.`)
      : error
  })
  const { configFile, dataDir, key, end } = folder
  const quiet = { ...context, settings: { ...context.settings, logLevel: 'warn' as const } }
  const { code, signIn } = oneTimeCode({ key, account: demoAccount }, randomBytes(16))
  // The target starts first: the server sends alerts to it as soon as it follows its checks.
  const target: StartedTarget = await startTarget(folder.target).catch((error: NodeJS.ErrnoException) => error)
  const toClose: { close(): Promise<void> }[] = target instanceof Error ? [] : [target]
  const tasks = { runner: false, simulates: true, deadlines: false, alerts: true }
  const starting = startServer(quiet, { configFile, dataDir, host, port, basePath, ...tasks, signIn })
  const server = await starting.catch(async (error) => {
    await closeAll(toClose)
    throw error
  })
  toClose.push(server)
  closeGracefully(context, { close: () => closeAll(toClose) })
  const { store, catalogue, url } = server
  const bar = progressBar(context.stderr, 'Generating thirty days of results')
  await backfill({ store, checks: catalogue.checks(demoAccount), now: context.now(), end, progress: bar.show })
  bar.end()
  context.stdout.write(`Tidemark listening on ${url}\n\n${introduction({ url, key, code, checks: catalogue.checks(demoAccount) })}`)
  toClose.push(goLive(context, server, folder, target))
  context.stdout.write(`Everything is in ${data}. Stop with Ctrl-C; the next start continues from here.\n`)
}

async function closeAll(parts: { close(): Promise<void> }[]): Promise<void> {
  for (const part of parts.splice(0).reverse()) await part.close()
}

type Demo = { readonly url: string; readonly key: string; readonly code: string; readonly checks: readonly Check[] }

function introduction({ url, key, code, checks }: Demo): string {
  const facts = [`base URL  ${url}`, `account   ${demoAccount}`, `key       ${key}`, `the page  ${url}/#code=${code} (signs in, once)`]
  return [...facts, '', ...questionLines({ url, key, account: demoAccount, checks }), ''].join('\n')
}
