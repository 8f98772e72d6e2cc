/** The views of the menu, and the paths within each. */
export const views = [
  { href: '/', name: 'Checks', within: /^\/(checks\/|new\b|deleted\b|$)/ },
  { href: '/overview', name: 'Overview', within: /^\/(overview|wall)\b/ },
  { href: '/outages', name: 'Outages', within: /^\/outages\b/ },
  { href: '/alerts', name: 'Alerts', within: /^\/alerts\b/ },
  { href: '/slos', name: 'SLOs', within: /^\/slos\b/ },
  { href: '/locations', name: 'Locations', within: /^\/locations\b/ },
  { href: '/audit', name: 'Audit', within: /^\/audit\b/ },
] as const
