import { readFileSync } from 'node:fs'

type Limit = {
  /** Its line in /proc/self/limits, and its name in Node's diagnostic report. */
  readonly line: string
  readonly reported: string
  readonly advice: (limit: number | null) => string
}

const limits: Readonly<Record<string, Limit>> = {
  EMFILE: {
    line: 'Max open files',
    reported: 'open_files',
    advice: (limit) =>
      `This process ${limit === null ? 'has reached its limit of open files' : `may have no more than ${limit} files open`} (ulimit -n). Raise it, with LimitNOFILE= in a unit of systemd or --ulimit nofile= of Docker.`,
  },
  EAGAIN: {
    line: 'Max processes',
    reported: 'max_user_processes',
    advice: (limit) =>
      `Its user ${limit === null ? 'has reached a limit of processes and threads' : `may have no more than ${limit} processes and threads`} (ulimit -u). Raise it, with LimitNPROC= or TasksMax= in a unit of systemd or --pids-limit of Docker.`,
  },
}

/** Advice about the limit whose system error code a text contains; empty if there is none. */
export function limitAdvice(text: string): string {
  const code = Object.keys(limits).find((name) => text.includes(name))
  const limit = code === undefined ? undefined : limits[code]
  return limit === undefined ? '' : limit.advice(currentLimit(limit))
}

/** Null if unknown. */
function currentLimit({ line, reported }: Limit): number | null {
  try {
    return Number(new RegExp(`^${line} +(\\d+)`, 'm').exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]) || null
  } catch {
    return reportedLimit(reported)
  }
}

/** Slower, but works without opening a file. */
function reportedLimit(name: string): number | null {
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as { readonly userLimits?: Readonly<Record<string, { readonly soft?: unknown }>> }
  return Number(userLimits?.[name]?.soft) || null
}
