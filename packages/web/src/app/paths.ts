/** Where each page lives. A page is linked, prerendered and listed in the side menu only when it stands here. */
export const paths = {
  landing: '/',
  login: '/login',
  signup: '/signup',
  register: '/register',
  verifyEmail: '/verify-email',
  loginLink: '/login-link',
  resetPassword: '/reset-password',
  unrecognizedSignIn: '/not-me',
  authCallback: '/auth/callback',
  dashboard: '/dashboard',
  transactions: '/transactions',
  wallet: '/wallet',
  send: '/send',
  deposit: '/deposit',
  withdraw: '/withdraw',
  profile: '/profile',
  settings: '/settings',
  gallery: '/gallery',
} as const

export type PageName = keyof typeof paths

/** Pages that are sent without any application script. */
export const scriptFreePages: readonly string[] = [paths.landing]

/** The path of a page that may not exist yet; undefined as long as it does not. */
export const pathIfPresent = (page: string): string | undefined => (paths as Record<string, string>)[page]
