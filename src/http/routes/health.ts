import { unavailable } from '../hooks/error-replies.ts'
import type { Content, Routes } from '../route.ts'

const maxListed = 100

const answer: Content = {
  description: 'It is.',
  schema: { type: 'object', properties: { status: { const: 'ok' } }, required: ['status'] },
  example: { status: 'ok' },
}

const readyAnswer: Content = {
  description:
    'Ready. alertChannels lists channels that need to be fixed. alerts is the process that sends them, if several share a database.',
  schema: {
    type: 'object',
    properties: {
      status: { const: 'ok' },
      alertChannels: {
        type: 'object',
        properties: { broken: { type: 'array', items: { type: 'string' }, maxItems: maxListed, description: 'Their ids.' } },
        required: ['broken'],
      },
      alerts: { enum: ['sentHere', 'sentElsewhere'] },
    },
    required: ['status'],
  },
  example: { status: 'ok' },
}

export const healthRoutes: Routes = (app, { store, alerts }) => {
  const doc = { group: 'Health', answer }
  const liveDoc = { ...doc, summary: 'Liveness of the process' }
  app.get('/health/live', { compress: false, config: { access: 'open', doc: liveDoc } }, (_, reply) => void reply.send({ status: 'ok' }))
  app.get(
    '/health/ready',
    {
      config: {
        access: 'open',
        doc: { ...doc, answer: readyAnswer, summary: 'Readiness for queries', errors: ['UNAVAILABLE'] },
      },
    },
    async () => {
      if (!(await store.ready())) throw unavailable(5)
      const { broken = [], isLeader = null } = alerts?.stats() ?? {}
      const ids = new Set(broken.map(({ channel }) => channel))
      return {
        status: 'ok',
        ...(ids.size > 0 && { alertChannels: { broken: [...ids].sort().slice(0, maxListed) } }),
        ...(isLeader !== null && { alerts: isLeader ? 'sentHere' : 'sentElsewhere' }),
      }
    },
  )
  const writableDoc = { ...doc, summary: 'Readiness for writes', errors: ['UNAVAILABLE'] } as const
  app.get('/health/writable', { config: { access: 'open', doc: writableDoc } }, async () => {
    if (!(await store.writable())) throw unavailable(5)
    return { status: 'ok' }
  })
}
