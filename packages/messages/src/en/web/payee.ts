/** Bank's answer about the name on a linked account. */
export const payee = {
  match: 'Your bank confirms that it is in your name.',
  close: (name: string) => `The bank knows the holder of this account as ${name}.`,
  closeUnnamed: 'The bank knows the holder of this account by a slightly different name than yours.',
  closeAccept: 'This is my account',
  closeMissing: 'Please check the name, then confirm that the account is yours',
  none: 'The bank says this account is not in your name.',
  noneText:
    'Money sent to an account of someone else may be lost. Check that you linked the right account before you continue.',
  noneAccept: 'I checked the account, and want to withdraw to it',
  noneMissing: 'Please check the account, then confirm that you want to withdraw to it',
  noneNext: 'You confirm the withdrawal in the next step.',
  impossible: "The name on this account can't be checked. Make sure that the account is yours.",
  unknown: "The bank hasn't told us whether this account is in your name. We ask again before money leaves.",
} as const
