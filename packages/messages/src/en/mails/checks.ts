/** Mails about checks by people, because of which money waits. None says why: the law forbids that in many countries. */
export const checkMails = {
  button: 'See your checks',
  note: "If this wasn't you, change your password and log out all other devices in your settings.",
  until: 'Decided by',
  answer_by: 'Answer by',
  expected: 'Expected by',
  check_holds: {
    subject: 'A payment of yours is being checked',
    preview: 'The money is set aside until we have decided.',
    text: "People in our team are checking a payment of yours. The money is set aside until they have decided. You can't cancel it meanwhile, but you can object.",
  },
  guest_check_holds: {
    subject: 'A payment to you is being checked',
    preview: 'You get the money once we have cleared it.',
    text: 'Somebody without an account pays a request of yours, and people in our team are checking that payment. You get the money once they have cleared it. Please wait before you count on it.',
  },
  list_holds: {
    subject: 'A payment of yours waits for up-to-date lists',
    preview: 'The money is set aside and goes on by itself.',
    text: 'By law we compare names with public lists before money moves, and those lists are not up to date at the moment. The money is set aside, and nothing is lost. The payment goes on by itself once the lists are up to date and your names have been compared with them. You have nothing to do.',
  },
  guest_list_holds: {
    subject: 'A payment to you waits for up-to-date lists',
    preview: 'You get the money once we have compared names.',
    text: 'Somebody without an account pays a request of yours. By law we compare their name with public lists first, and those lists are not up to date at the moment. Their card is not charged before that, and it goes on by itself. Please wait before you count on the money.',
  },
  check_asks: {
    subject: 'We need something from you for a check',
    preview: 'Your money waits for it.',
    explanation:
      'Please tell us more about yourself or your payments, so that we can finish a check. Your money waits for it.',
    document:
      'Please upload a document and tell us what it shows, so that we can finish a check. Your money waits for it.',
  },
  check_decided: {
    subject: 'A check has ended',
    preview: 'Here is what follows.',
    cleared: 'We have finished a check and found nothing against it. What waited only for it goes on its way now.',
    confirmed:
      'We have finished a check. By law we have to keep your money where it is: nothing can leave your wallet or come into it from others. You can object.',
    not_made:
      "We have finished a check, and a payment of yours can't be made. The money is on its way back to your wallet.",
    sent_back:
      "We have finished a check, and can't take the money that came from your bank account. It goes back to that account.",
    not_accepted:
      "We have finished a check, and can't accept the payment that somebody without an account made to you. Their money stays theirs, and your request can be paid again.",
  },
  objection_decided: {
    subject: 'Your objection is decided',
    preview: 'Somebody decided who had nothing to do with the check.',
    upheld: 'You were right to object. What waited only for the check goes on its way now.',
    dismissed: 'We looked at your objection, and the check goes on or stays as it was decided.',
  },
}
