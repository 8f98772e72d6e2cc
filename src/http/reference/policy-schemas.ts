import type { Schema } from '../route.ts'
import { anyString, stringOrNull, strings, time } from './schema-parts.ts'

const windowFields: Readonly<Record<string, Schema>> = {
  name: anyString,
  startsAt: { type: 'string', description: 'Of the first time: a timestamp with Z or an offset.' },
  endsAt: { type: 'string', description: 'Of the first time.' },
  repeatUnit: { enum: ['DAY', 'WEEK', 'MONTH', null], description: 'Null for once. Months without such a day are skipped.' },
  repeatInterval: { type: ['integer', 'null'], minimum: 1, maximum: 100, description: 'After every n units; null for every one.' },
  repeatEndsAt: { type: ['string', 'null'], description: 'It does not start at or after this time.' },
  tags: { ...strings, description: 'For checks with any of these tags; without tags, for all checks.' },
  pauseAllChecks: { type: 'boolean', description: 'For all checks: true without tags.' },
}
const windowOptional: Readonly<Record<string, Schema>> = {
  timezone: { type: 'string', description: 'The time zone of a recurring one; default: UTC.' },
}

export const maintenanceWindowBody: Schema = {
  type: 'object',
  properties: { ...windowFields, ...windowOptional },
  required: ['name', 'startsAt', 'endsAt'],
}

export const maintenanceWindowSchema: Schema = {
  type: 'object',
  properties: { id: { type: 'integer' }, ...windowFields, ...windowOptional, created_at: time, updated_at: time },
  required: ['id', ...Object.keys(windowFields), 'created_at', 'updated_at'],
}

const locationFields: Readonly<Record<string, Schema>> = {
  name: anyString,
  slugName: { type: 'string', description: 'The name of the location in privateLocations of managed checks.' },
  icon: { type: 'string', description: 'For compatibility with other clients; ignored.' },
}

export const privateLocationBody: Schema = { type: 'object', properties: locationFields, required: ['name', 'slugName'] }

export const agentKeySchema: Schema = {
  type: 'object',
  properties: {
    id: anyString,
    maskedKey: anyString,
    rawKey: { type: 'string', description: 'The agent key: only in the response to the request that creates it.' },
    created_at: time,
    updated_at: time,
  },
  required: ['id', 'maskedKey', 'created_at', 'updated_at'],
}

export const privateLocationSchema: Schema = {
  type: 'object',
  properties: {
    id: anyString,
    ...locationFields,
    proxyUrl: { type: 'null' },
    keys: { type: 'array', items: agentKeySchema },
    lastSeen: { ...stringOrNull, description: 'When one of its agents last reported, since the server started.' },
    agentCount: { type: 'integer', description: 'Number of live agents.' },
    created_at: { type: ['string', 'null'], description: 'Null for one of the config file.' },
    updated_at: stringOrNull,
  },
  required: ['id', ...Object.keys(locationFields), 'proxyUrl', 'keys', 'lastSeen', 'agentCount', 'created_at', 'updated_at'],
}

const subscriptionFields: Readonly<Record<string, Schema>> = {
  checkId: stringOrNull,
  groupId: { type: ['integer', 'null'], description: 'Instead of checkId.' },
  activated: { type: 'boolean' },
}
export const alertChannelSubscriptionBody: Schema = { type: 'object', properties: subscriptionFields }
export const alertChannelSubscriptionSchema: Schema = {
  type: 'object',
  properties: { alertChannelId: { type: 'integer' }, ...subscriptionFields },
  required: ['alertChannelId', 'checkId', 'groupId', 'activated'],
}

export const alertChannelBody: Schema = {
  type: 'object',
  properties: {
    type: { enum: ['EMAIL', 'SLACK', 'WEBHOOK', 'PAGERDUTY'] },
    config: {
      type: 'object',
      description:
        'EMAIL: address. SLACK: url. PAGERDUTY: serviceKey. WEBHOOK: name, url, webhookType, method, template, webhookSecret, headers and queryParameters.',
      additionalProperties: true,
    },
    sendRecovery: { type: 'boolean', default: true },
    sendFailure: { type: 'boolean', default: true },
    sendDegraded: { type: 'boolean', default: false },
    sslExpiry: { type: 'boolean', default: false },
    sslExpiryThreshold: { type: 'integer', minimum: 1, maximum: 30, default: 30 },
    autoSubscribe: { type: 'boolean', default: false, description: 'Whether checks added over the API are subscribed to it.' },
  },
  required: ['type', 'config'],
}
