import { unavailable } from '../hooks/error-replies.ts'
import type { Content, Routes } from '../route.ts'

const answer: Content = {
  description: 'It is.',
  schema: { type: 'object', properties: { status: { const: 'ok' } }, required: ['status'] },
  example: { status: 'ok' },
}

export const healthRoutes: Routes = (app, { store }) => {
  const doc = { group: 'Health', answer }
  const liveDoc = { ...doc, summary: 'Whether the process is alive' }
  app.get('/health/live', { compress: false, config: { access: 'open', doc: liveDoc } }, (_, reply) => void reply.send({ status: 'ok' }))
  app.get(
    '/health/ready',
    { config: { access: 'open', doc: { ...doc, summary: 'Whether results and questions can be taken now', errors: ['UNAVAILABLE'] } } },
    async () => {
      if (!(await store.ready())) throw unavailable(5)
      return { status: 'ok' }
    },
  )
}
