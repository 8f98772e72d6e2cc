import { systemClock } from '../../runner/clock.ts'
import type { Runner } from '../../runner/runner.ts'
import type { Store } from '../../store/store.ts'
import { minuteMs } from '../../time.ts'
import type { Context } from '../context.ts'
import type { Server } from '../server.ts'
import { backfill } from './backfill.ts'
import { continueScenario } from './continue.ts'
import { type DemoFolder, isDemoCheck } from './folder.ts'
import { startDemoRuns } from './live.ts'
import { startPinger } from './pinger.ts'
import type { startTarget } from './target.ts'

const inventEveryMs = minuteMs

/** The demo's local target, or why it could not start. The caller closes it. */
export type StartedTarget = Awaited<ReturnType<typeof startTarget>> | NodeJS.ErrnoException

/** Runs the demo's checks against its target. Results of checks that cannot run here are generated. */
export function goLive(context: Context, server: Server, folder: DemoFolder, target: StartedTarget): { close(): Promise<void> } {
  const { catalogue, store, url } = server
  const invented = new Set<string>()
  const print = (line: string) => context.stdout.write(`${line}\n`)
  const runner = target instanceof Error ? null : startRuns(context, { server, folder, print, invented })
  if (target instanceof Error) {
    for (const { id } of catalogue.allChecks().filter(({ checkType }) => checkType.run)) invented.add(id)
    print(`The ports of the demo's own target are in use (${target.code}), so its checks are not run. Their results are still generated.`)
  }
  const stopListening = server.onChange(() => runner?.reload())
  const pinger = startPinger({ checks: catalogue.allChecks(), url: `${url}/ping/${folder.target.pingToken}`, clock: systemClock })
  const checks = () => catalogue.allChecks().filter(({ id }) => invented.has(id))
  const invent = () => backfill({ store, checks: checks(), now: context.now(), end: folder.end, progress: () => {} })
  const inventing = startInventing(() => invent().catch((err) => server.log.error({ err }, 'Could not generate results.')))
  return {
    async close() {
      stopListening()
      pinger.close()
      await inventing.close()
      await runner?.close()
    },
  }
}

type Parts = {
  readonly server: Server
  readonly folder: DemoFolder
  readonly print: (line: string) => void
  readonly invented: Set<string>
}

function startRuns({ settings, env }: Context, { server, folder, print, invented }: Parts): Runner {
  const { catalogue, store, log, probe } = server
  print('Its checks now also run against a small local shop.')
  const continued = continueScenario(folder.end)
  const append: Store['append'] = (results) =>
    store.append(
      results.map((filed) => {
        const own = catalogue.check(filed.check.account, filed.check.checkId)
        return own !== undefined && isDemoCheck(own, folder.target) ? { ...filed, result: continued(own, filed.result) } : filed
      }),
    )
  return startDemoRuns({
    catalogue,
    store: { append, latest: (...question) => store.latest(...question) },
    clock: systemClock,
    log,
    probe,
    chromium: settings.chromium,
    env,
    locations: null,
    onUnable({ id, name }, reason) {
      invented.add(id)
      print(`${name} is not run on this machine: ${reason}. Its results are still generated.`)
    },
  })
}

function startInventing(invent: () => Promise<void>): { close(): Promise<void> } {
  let going: Promise<void> = Promise.resolve()
  let cancel = () => {}
  const again = () => {
    going = invent()
    cancel = systemClock.after(inventEveryMs, again)
  }
  cancel = systemClock.after(inventEveryMs, again)
  return {
    close() {
      cancel()
      return going
    },
  }
}
