import type { Evidence } from '../../store/evidence.ts'
import { isoText } from '../../time.ts'

export function evidenceEntry({ attempts, screenshot }: Evidence) {
  return {
    attempts: attempts.map((attempt) => ({
      ...attempt,
      startedAt: isoText(attempt.startedAt),
      assertions: attempt.assertions.map(({ text, passed, actual }) => ({ expected: text, found: actual, passed })),
    })),
    screenshot: screenshot && { mediaType: 'image/jpeg', base64: Buffer.from(screenshot).toString('base64') },
  }
}
