import { readFileSync } from 'node:fs'

/** How many files this process may have open (`ulimit -n`); null where the system does not say. */
export function openFileLimit(): number | null {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Number.NaN) || null
  } catch {
    return reportedLimit()
  }
}

/** Takes longer, and needs no file. */
function reportedLimit(): number | null {
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as { readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } } }
  return Number(userLimits?.open_files?.soft) || null
}

/** What to do about too few, as a sentence. */
export function openFileAdvice(limit: number | null): string {
  const found = limit === null ? 'has reached its limit of open files' : `may have no more than ${limit} files open`
  return `This process ${found} (ulimit -n). Raise it, with LimitNOFILE= in a unit of systemd or --ulimit nofile= of Docker.`
}
