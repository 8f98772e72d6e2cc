import { SilentServer } from './server-errors.ts'

/** Rejects with `SilentServer` after the deadline; the work goes on. */
export async function endingBy<T>(deadlineMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SilentServer(`It took longer than ${deadlineMs / 1000} s.`)), deadlineMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
