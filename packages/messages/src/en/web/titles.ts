/** What the pages are called: in the browser's tab, and mostly at their head. The table of pages says which is whose. */
export const titles = {
  landing: 'Send money abroad',
  login: 'Log in',
  signup: 'Create an Account',
  register: 'Identity Verification',
  verifyEmail: 'Email verification',
  resetPassword: 'Reset your password',
  unrecognizedSignIn: "This wasn't you?",
  dashboard: 'Dashboard',
  wallet: 'My Wallet',
  send: 'Send money',
  transactions: 'Transactions',
  deposit: 'Deposit Funds',
  withdraw: 'Withdraw Funds',
  profile: 'Profile',
  settings: 'Settings',
  gallery: 'Components',
}
