import type { titles } from '@tern/messages/en/web/shell'

interface PageDeclaration {
  readonly path: string
  readonly title: keyof typeof titles
  /** The side menu's section, in this table's order. */
  readonly menu?: 'main' | 'account'
  /** In front of the page's name in the menu. */
  readonly icon?: string
}

/** All pages, for router, titles, prerendering, side menu and journeys. Browsers get it; page-access.ts says who gets them. */
export const pages = {
  landing: { path: '/', title: 'landing' },
  howItWorks: { path: '/how-it-works', title: 'howItWorks' },
  security: { path: '/security', title: 'security' },
  prices: { path: '/prices', title: 'prices' },
  recompute: { path: '/recompute', title: 'recompute' },
  terms: { path: '/terms', title: 'terms' },
  privacy: { path: '/privacy', title: 'privacy' },
  compliance: { path: '/compliance', title: 'compliance' },
  login: { path: '/login', title: 'login' },
  signup: { path: '/signup', title: 'signup' },
  register: { path: '/register', title: 'register' },
  verifyEmail: { path: '/verify-email', title: 'verifyEmail' },
  loginLink: { path: '/login-link', title: 'login' },
  resetPassword: { path: '/reset-password', title: 'resetPassword' },
  unrecognizedSignIn: { path: '/not-me', title: 'unrecognizedSignIn' },
  freezeAccount: { path: '/freeze', title: 'freezeAccount' },
  cancelPayment: { path: '/cancel', title: 'cancelPayment' },
  pay: { path: '/pay', title: 'pay' },
  track: { path: '/track', title: 'track' },
  authCallback: { path: '/auth/callback', title: 'login' },
  dashboard: { path: '/dashboard', title: 'dashboard', menu: 'main', icon: 'home' },
  wallet: { path: '/wallet', title: 'wallet', menu: 'main', icon: 'wallet' },
  exchange: { path: '/exchange', title: 'exchange', menu: 'main', icon: 'swap' },
  orders: { path: '/exchange/orders', title: 'orders' },
  protection: { path: '/exchange/protection', title: 'protection' },
  send: { path: '/send', title: 'send', menu: 'main', icon: 'send' },
  scheduled: { path: '/scheduled', title: 'scheduled', menu: 'main', icon: 'clock' },
  receive: { path: '/receive', title: 'receive', menu: 'main', icon: 'receive' },
  split: { path: '/split', title: 'split' },
  transactions: { path: '/transactions', title: 'transactions', menu: 'main', icon: 'list' },
  receipt: { path: '/receipt', title: 'receipt' },
  disputes: { path: '/disputes', title: 'disputes' },
  checks: { path: '/checks', title: 'checks' },
  deposit: { path: '/deposit', title: 'deposit' },
  withdraw: { path: '/withdraw', title: 'withdraw' },
  demo: { path: '/demo', title: 'demo' },
  profile: { path: '/profile', title: 'profile', menu: 'account', icon: 'person' },
  settings: { path: '/settings', title: 'settings', menu: 'account', icon: 'settings' },
  help: { path: '/help', title: 'help', menu: 'account', icon: 'info' },
  limitSettings: { path: '/settings/limits', title: 'limitSettings' },
  deviceSettings: { path: '/settings/devices', title: 'deviceSettings' },
  privacySettings: { path: '/settings/privacy', title: 'privacySettings' },
  notificationSettings: { path: '/settings/notifications', title: 'notificationSettings' },
  connectionSettings: { path: '/settings/connections', title: 'connectionSettings' },
  gallery: { path: '/gallery', title: 'gallery' },
} as const satisfies Record<string, PageDeclaration>

export type PageName = keyof typeof pages
