import { SilentServer } from './server-errors.ts'

/** The outcome of work that may take only so long; what takes longer goes on, and nobody waits for it. */
export async function endingBy<T>(deadlineMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SilentServer(`It took longer than ${deadlineMs / 1000} s.`)), deadlineMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
