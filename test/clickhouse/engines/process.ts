import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

export type Process = {
  readonly pid: number
  isRunning(): boolean
  /** The end of its output. */
  output(): string
  end(signal: NodeJS.Signals): Promise<void>
  /** Sends SIGTERM, and kills the process if it takes too long to end, as service managers do. */
  terminate(): Promise<void>
}

const patienceMs = 10_000

/** Starts a program that ends with this process, and waits until it is ready; rejects with its output if it ends before. */
export async function startProcess(
  program: string,
  args: readonly string[],
  isReady: (output: string) => Promise<boolean>,
): Promise<Process> {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-10_000)
    })
  while (!(await isReady(output))) {
    if (hasEnded(child)) throw new Error(`${program} has ended: ${output}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    pid: child.pid ?? 0,
    isRunning: () => !hasEnded(child),
    output: () => output,
    end: (signal) => end(child, signal),
    terminate: () => terminate(child),
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

async function terminate(child: ChildProcess): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  await end(child, 'SIGTERM')
  clearTimeout(timer)
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}
