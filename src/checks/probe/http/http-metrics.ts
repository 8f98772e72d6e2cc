import { milliseconds } from '../../metric.ts'

/** The phases of one HTTP exchange; `responseTime` is their total. */
export const httpMetrics = {
  responseTime: milliseconds('Response time'),
  wait: milliseconds('Wait for a socket'),
  dns: milliseconds('DNS lookup'),
  tcp: milliseconds('TCP connection'),
  firstByte: milliseconds('Time to first byte'),
  download: milliseconds('Content download'),
}

export const httpPhases = ['wait', 'dns', 'tcp', 'firstByte', 'download'] as const
