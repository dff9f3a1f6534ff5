/** Field for the person to pay, or to request money from. */
export const recipient = {
  recipient: 'Recipient',
  recipientHint: 'Enter username or email of any registered Tern user',
  registeredUsers: 'Registered users',
  usersFound: (count: number) => (count === 1 ? '1 user found' : `${count} users found`),
  noMatch: 'No one found. Enter the full email address.',
  searchFailed: 'We couldn’t search for this person. Please try again.',
  typeMore: 'Type one more letter.',
  recentPeople: 'Recent people',
  favorites: 'Favorites',
  sendToAgain: 'Send again',
  getsIn: (currency: string) => `gets ${currency}`,
  change: 'Change',
  changeRecipient: 'Change recipient',
}
