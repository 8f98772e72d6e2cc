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
    'They can. alertChannels is there only where channels take no messages until somebody mends them. alerts says which process sends them, where several share a database.',
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
  const liveDoc = { ...doc, summary: 'Whether the process is alive' }
  app.get('/health/live', { compress: false, config: { access: 'open', doc: liveDoc } }, (_, reply) => void reply.send({ status: 'ok' }))
  app.get(
    '/health/ready',
    {
      config: {
        access: 'open',
        doc: { ...doc, answer: readyAnswer, summary: 'Whether questions can be answered now', errors: ['UNAVAILABLE'] },
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
  const writableDoc = { ...doc, summary: 'Whether results can be stored now', errors: ['UNAVAILABLE'] } as const
  app.get('/health/writable', { config: { access: 'open', doc: writableDoc } }, async () => {
    if (!(await store.writable())) throw unavailable(5)
    return { status: 'ok' }
  })
}
