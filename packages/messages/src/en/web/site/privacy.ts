export const privacy = {
  description: 'What Tern keeps about you, for how long, who receives it, and what it never does.',
  lead: 'What is kept about you, why, for how long, and who gets to see it. It describes the program as it is.',
  clauses: [
    {
      title: 'What you tell us',
      text: [
        'For your account: email, username, name, and a password of which only a hash is kept. For the identity check: legal name, date of birth, nationality, address, national ID number and document number. ID, document and tax numbers are encrypted before they are stored; of each, only the last characters stay readable.',
        'For the waitlist: your email address, and nothing else. Whoever runs this Tern may have it passed on to a form service.',
      ],
      short: 'Account, identity, waitlist. ID numbers are encrypted.',
    },
    {
      title: 'What we notice',
      text: [
        'For each login: the time, the browser’s name, the country and the network of the address, not the address itself. They are there so that you see where you are logged in and hear of devices you don’t know.',
        'For each movement of money: amounts, rate, fee, the other person, the description you wrote, and the payment partner’s reference.',
      ],
      short: 'Logins and movements of money. No browsing history.',
    },
    {
      title: 'Cookies and storage',
      text: [
        'One cookie keeps you logged in, one recognizes a browser that you have used, and one may keep your language. Your browser also stores a short-lived access token, who is logged in, and a transfer you have begun. There is no cookie for advertising or analysis, so there is no banner.',
      ],
      short: 'Only what the product needs to work.',
    },
    {
      title: 'Who receives it',
      text: [
        'Payment partners get what they need for a payment or a withdrawal. The identity check gets your verification form. The mail server gets your address and the email. If you log in with Google or another provider, that provider knows it.',
        'People you pay see your username and, once you are verified, your legal name. They see your email only if they typed it whole. Your data is not sold, and nobody gets it for advertising.',
      ],
      short: 'Partners get what a payment needs. Nobody buys it.',
    },
    {
      title: 'How long',
      text: [
        'Movements of money are kept as long as the books are. Your account and verification are kept until you delete your account; then your name is taken out of the books, and if you were verified, your identity is sealed for five years, as the law demands, and erased. Sessions go 400 days after their last use, sent emails at once except for the note that they were sent, which goes after 90 days, and prices nobody used 90 days after they expired.',
        'Logs name you by a number, never by email, name or anything that logs you in.',
      ],
      short: 'The books stay; what is no longer needed is cleared every night.',
    },
    {
      title: 'Your part',
      text: [
        'Under Settings you see everything we hold about you, what you agreed to, and who looked at it. You can download all of it, ask us to correct what was verified, which we answer within 30 days, and delete your account once no money and nothing else is open in it. You change your name, username and email under Profile.',
      ],
      short: 'See it, take it with you, correct it, delete it: all in Settings.',
    },
  ],
}
