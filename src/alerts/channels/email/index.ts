import { defineChannel } from '../define.ts'
import { EmailSettings } from './settings.ts'

export const email = defineChannel({
  type: 'email',
  label: 'E-mail',
  settings: EmailSettings,
  secrets: ({ username, password }) => [
    ...(password === undefined ? [] : [password, Buffer.from(`\0${username}\0${password}`).toString('base64')]),
  ],
  address: ({ to }) => to.join(', '),
  limits: { perMinute: 30, concurrent: 2 },
  deliver: async (call) => (await import('./send.ts')).sendMail(call),
})
