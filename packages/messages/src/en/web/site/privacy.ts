export const privacy = {
  description: 'What Tern keeps about you, for how long, who receives it, and what it never does.',
  lead: 'What is kept about you, why, for how long, and who gets to see it. It describes the program as it is.',
  clauses: {
    told: {
      title: 'What you tell us',
      text: [
        'For your account: email, username, name, and a password of which only a hash is kept. For the identity check: legal name, date of birth, nationality, address, national ID number and document number. ID, document and tax numbers are encrypted before they are stored; of each, only the last characters stay readable.',
        'Photos and PDFs of your document are made anew before they are stored, without what a camera writes into them, such as the place, and they are encrypted. You can delete them until a check is under way or has verified you.',
        'For the waitlist: your email address, and nothing else. Whoever runs this Tern may have it passed on to a form service.',
      ],
      short: 'Account, identity, waitlist. ID numbers and documents are encrypted.',
      where: 'everything we hold about you',
    },
    noticed: {
      title: 'What we notice',
      text: [
        'For each login: the time, the browser’s name, the country and the network of the address, not the address itself. They are there so that you see where you are logged in and hear of devices you don’t know.',
        'For each movement of money: amounts, rate, fee, the other person, the description you wrote, and the payment partner’s reference; and why it passed with or without a confirmation.',
      ],
      short: 'Logins and movements of money. No browsing history.',
      where: 'where you are logged in',
    },
    screening: {
      title: 'Comparing names with lists',
      text: [
        'Once you send your identity form, your name, date of birth and countries are compared with public lists of people under sanctions and of people in public office, and again whenever a list or your details change. So is the name that your bank gives with an account you link, and the name of a guest who pays your request. The lists are kept here: nothing about you goes to whoever publishes them.',
      ],
      short: 'The lists come to us. Your name goes nowhere.',
      where: 'the lists, with their dates',
    },
    cookies: {
      title: 'Cookies and storage',
      text: [
        'One cookie keeps you logged in, one recognizes a browser that you have used, and one may keep your language. Your browser also stores a short-lived access token, who is logged in, and a transfer you have begun. There is no cookie for advertising or analysis, so there is no banner.',
      ],
      short: 'Only what the product needs to work.',
    },
    receivers: {
      title: 'Who receives it',
      text: [
        'Payment partners get what they need for a payment or a withdrawal. The identity check gets your verification form. The mail server gets your address and the email. If you log in with Google or another provider, that provider knows it.',
        'People you pay see your username and, once you are verified, your legal name. They see your email only if they typed it whole. Your data is not sold, and nobody gets it for advertising.',
      ],
      short: 'Partners get what a payment needs. Nobody buys it.',
    },
    operators: {
      title: 'Who may look',
      text: [
        'Some questions only a person can decide: an identity form in doubt, a held transfer, a payment that went astray. Operators do that at a desk apart from the product, with accounts and passkeys of their own. Your ID numbers stay sealed there.',
        'Each time an operator opens something of yours, a line is added to a log that nobody can change, and to the list that you read in Settings: when, what, for which purpose, and under which pseudonym.',
      ],
      short: 'Few people, each look recorded, and you can read the list.',
      where: 'who looked at your data',
    },
    retention: {
      title: 'How long',
      text: [
        'Movements of money are kept as long as the books are. Your account and verification are kept until your account is deleted, which is 14 days after you ask for it; then your name is taken out of the books, and if you were verified, your identity is sealed for five years, as the law demands, and erased. Sessions go 400 days after their last use, sent emails at once except for the note that they were sent, which goes after 90 days, and prices nobody used 90 days after they expired.',
        'Logs name you by a number, never by email, name or anything that logs you in.',
      ],
      short: 'The books stay; what is no longer needed is cleared every night.',
      where: 'how long each kind is kept',
    },
    rights: {
      title: 'Your part',
      text: [
        'Under Settings you see everything we hold about you, what you agreed to, and who looked at it. You can download all of it, ask us to correct what was verified, which we answer within 30 days, and delete your account once no money and nothing else is open in it. It is closed at once and deleted after 14 days; until then, logging in undoes it. If money comes back to it meanwhile, or a case is opened, it stays and we tell you why. You change your name, username and email under Profile.',
      ],
      short: 'See it, take it with you, correct it, delete it: all in Settings.',
      where: 'download, correct, delete',
    },
  },
}
