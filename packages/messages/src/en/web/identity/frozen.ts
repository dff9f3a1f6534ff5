/** What stands above every page while the account is frozen. */
export const frozenNote = {
  text: 'Your account is frozen: no money can leave it. Money from other people still arrives.',
  link: 'Unfreeze it in Settings',
}
