import { milliseconds, score } from '../../metric.ts'

export const webVitals = {
  TTFB: milliseconds('Time To First Byte'),
  FCP: milliseconds('First Contentful Paint'),
  LCP: milliseconds('Largest Contentful Paint'),
  CLS: score('Cumulative Layout Shift'),
  TBT: milliseconds('Total Blocking Time'),
}
