/** What is missing of money that was taken back, in the settings. */
export const losses = {
  title: 'Missing money',
  text: 'Money was taken back that you had already spent. Until you have paid what is missing, nothing can leave your wallet.',
  missing: (amount: string) => `${amount} is missing`,
  takenBack: (date: string) => `A card or bank took it back on ${date}`,
  creditEnded: (date: string) => `A dispute's credit was taken back on ${date}`,
  pay: (amount: string) => `Pay ${amount}`,
  lacks: (balance: string, lacking: string) =>
    `It is paid in one piece, from your wallet. You have ${balance} there: add ${lacking} first.`,
  addFunds: 'Add money',
  paid: (amount: string) => `You paid ${amount}.`,
  free: 'Nothing is missing any more. Money can leave your wallet again.',
  loadFailed: "We couldn't check whether money is missing.",
  failed: "That didn't work. Please try again: it's never paid twice.",
} as const
