import type { titles } from '@tern/messages/en/web/shell'

interface PageDeclaration {
  readonly path: string
  /** Icon of the navigation item. Pages with an icon appear in the tab bar of phones or in its More menu. */
  readonly icon?: string
  /** True if the page has its own cell in the tab bar. */
  readonly cell?: true
  /** Section of the side navigation on wide screens; pages follow the order of this table. */
  readonly menu?: 'main' | 'account'
  /** Page in the side navigation that shows this page as one of its tabs. */
  readonly tabOf?: string
}

/**
 * All pages, by the names of their titles, for router, prerendering, navigation and end-to-end tests. Part of the browser
 * bundle.
 */
export const pages = {
  landing: { path: '/' },
  howItWorks: { path: '/how-it-works' },
  security: { path: '/security' },
  prices: { path: '/prices' },
  recompute: { path: '/recompute' },
  verifyReceipt: { path: '/verify' },
  terms: { path: '/terms' },
  privacy: { path: '/privacy' },
  compliance: { path: '/compliance' },
  login: { path: '/login' },
  signup: { path: '/signup' },
  register: { path: '/register' },
  verifyEmail: { path: '/verify-email' },
  loginLink: { path: '/login-link' },
  resetPassword: { path: '/reset-password' },
  unrecognizedSignIn: { path: '/not-me' },
  freezeAccount: { path: '/freeze' },
  cancelPayment: { path: '/cancel' },
  pay: { path: '/pay' },
  track: { path: '/track' },
  certificate: { path: '/certificate' },
  authCallback: { path: '/auth/callback' },
  dashboard: { path: '/dashboard', icon: 'home', cell: true, menu: 'main' },
  wallet: { path: '/wallet', icon: 'wallet', menu: 'main' },
  send: { path: '/send', icon: 'send', cell: true, menu: 'main' },
  receive: { path: '/receive', icon: 'receive', cell: true, menu: 'main' },
  exchange: { path: '/exchange', icon: 'swap', cell: true, tabOf: 'wallet' },
  orders: { path: '/exchange/orders', tabOf: 'wallet' },
  protection: { path: '/exchange/protection', tabOf: 'wallet' },
  transactions: { path: '/transactions', icon: 'list', menu: 'main' },
  statements: { path: '/statements', icon: 'page', tabOf: 'transactions' },
  insights: { path: '/insights', icon: 'bars', tabOf: 'transactions' },
  atlas: { path: '/atlas', icon: 'globe', tabOf: 'transactions' },
  deposit: { path: '/deposit', icon: 'deposit', tabOf: 'wallet' },
  withdraw: { path: '/withdraw', icon: 'bank', tabOf: 'wallet' },
  scheduled: { path: '/scheduled', icon: 'calendar', tabOf: 'send' },
  split: { path: '/split', icon: 'people', tabOf: 'receive' },
  receipt: { path: '/receipt' },
  disputes: { path: '/disputes' },
  checks: { path: '/checks' },
  calls: { path: '/calls' },
  demo: { path: '/demo' },
  profile: { path: '/profile', icon: 'person', menu: 'account' },
  settings: { path: '/settings', icon: 'settings', menu: 'account' },
  help: { path: '/help', icon: 'info', menu: 'account' },
  limitSettings: { path: '/settings/limits' },
  deviceSettings: { path: '/settings/devices' },
  privacySettings: { path: '/settings/privacy' },
  notificationSettings: { path: '/settings/notifications' },
  connectionSettings: { path: '/settings/connections' },
  gallery: { path: '/gallery' },
} as const satisfies Record<keyof typeof titles, PageDeclaration>

export type PageName = keyof typeof pages

/** `linked`: opened from an email, a link or a provider's page. `development`: only where enabled. */
type PageAccess = 'public' | 'linked' | 'member' | 'development'

interface PageDelivery {
  readonly access: PageAccess
  /** True if served without application script. */
  readonly isStatic?: true
  /** True if the path continues with a code that the page reads. */
  readonly hasCode?: true
}

/**
 * Access and delivery of each page, for server redirects, the build, the sitemap and end-to-end tests. Not part of the
 * browser bundle.
 */
const deliveries: Readonly<Record<PageName, PageDelivery>> = {
  landing: { access: 'public', isStatic: true },
  howItWorks: { access: 'public', isStatic: true },
  security: { access: 'public', isStatic: true },
  prices: { access: 'public', isStatic: true },
  recompute: { access: 'public', hasCode: true },
  verifyReceipt: { access: 'public' },
  terms: { access: 'public', isStatic: true },
  privacy: { access: 'public', isStatic: true },
  compliance: { access: 'public', isStatic: true },
  help: { access: 'public', isStatic: true },
  login: { access: 'public' },
  signup: { access: 'public' },
  register: { access: 'linked' },
  verifyEmail: { access: 'linked' },
  loginLink: { access: 'linked' },
  resetPassword: { access: 'linked' },
  unrecognizedSignIn: { access: 'linked' },
  freezeAccount: { access: 'linked' },
  cancelPayment: { access: 'linked' },
  pay: { access: 'linked' },
  track: { access: 'linked', hasCode: true },
  certificate: { access: 'linked', hasCode: true },
  authCallback: { access: 'linked' },
  dashboard: { access: 'member' },
  wallet: { access: 'member' },
  exchange: { access: 'member' },
  orders: { access: 'member' },
  protection: { access: 'member' },
  send: { access: 'member' },
  scheduled: { access: 'member' },
  receive: { access: 'member' },
  split: { access: 'member' },
  transactions: { access: 'member' },
  statements: { access: 'member' },
  insights: { access: 'member' },
  atlas: { access: 'member' },
  receipt: { access: 'member' },
  disputes: { access: 'member', hasCode: true },
  checks: { access: 'member', hasCode: true },
  calls: { access: 'member' },
  deposit: { access: 'member' },
  withdraw: { access: 'member' },
  demo: { access: 'member' },
  profile: { access: 'member' },
  settings: { access: 'member' },
  limitSettings: { access: 'member' },
  deviceSettings: { access: 'member' },
  privacySettings: { access: 'member' },
  notificationSettings: { access: 'member' },
  connectionSettings: { access: 'member' },
  gallery: { access: 'development' },
}

const listPaths = (matches: (page: PageDelivery) => boolean | undefined): string[] =>
  (Object.keys(pages) as PageName[]).flatMap((name) => (matches(deliveries[name]) ? [pages[name].path] : []))

/** Returns the paths of pages with this access, in the order of the table. */
export const listPathsByAccess = (access: PageAccess): string[] => listPaths((page) => page.access === access)

/** Returns the paths of pages whose path continues with a code. */
export const listPathsWithCode = (): string[] => listPaths(({ hasCode }) => hasCode)

/** Returns the paths of pages without application script. */
export const listStaticPaths = (): string[] => listPaths(({ isStatic }) => isStatic)
