import type { Endpoint } from './endpoint.ts'
import { events } from './events.ts'
import { createQuote, currencyRate, exchangeMoney } from './exchange.ts'
import {
  currentUser,
  logout,
  refreshToken,
  register,
  saveMetadata,
  searchUsers,
  updateProfile,
  userProfile,
} from './identity.ts'
import { kycStatus, submitKyc } from './kyc.ts'
import { depositByCard, paymentStatus } from './payments.ts'
import * as security from './security.ts'
import * as signIn from './sign-in.ts'
import { transactionsOfUser } from './transactions.ts'
import { sendMoney } from './transfers.ts'
import { balanceHistory, walletByUser, walletOfUser } from './wallets.ts'

/** Every call of the API by its name. The server must serve exactly these. */
export const allEndpoints = {
  register,
  login: signIn.login,
  signInMethods: signIn.signInMethods,
  sendLoginLink: signIn.sendLoginLink,
  verifyLoginLink: signIn.verifyLoginLink,
  sendVerificationEmail: signIn.sendVerificationEmail,
  verifyEmail: signIn.verifyEmail,
  checkEmailToken: signIn.checkEmailToken,
  sendPasswordReset: signIn.sendPasswordReset,
  resetPassword: signIn.resetPassword,
  disownSignIn: signIn.disownSignIn,
  answerSecondFactor: signIn.answerSecondFactor,
  secondFactorPasskeyOptions: signIn.secondFactorPasskeyOptions,
  answerSecondFactorByPasskey: signIn.answerSecondFactorByPasskey,
  passkeySignInOptions: signIn.passkeySignInOptions,
  logInByPasskey: signIn.logInByPasskey,
  startExternalSignIn: signIn.startExternalSignIn,
  finishExternalSignIn: signIn.finishExternalSignIn,
  googleLogin: signIn.googleLogin,
  linkExternalSignIn: signIn.linkExternalSignIn,
  refreshToken,
  logout,
  currentUser,
  searchUsers,
  userProfile,
  updateProfile,
  saveMetadata,
  securityOverview: security.securityOverview,
  listSessions: security.listSessions,
  endSession: security.endSession,
  endOtherSessions: security.endOtherSessions,
  changePassword: security.changePassword,
  startTotp: security.startTotp,
  confirmTotp: security.confirmTotp,
  removeTotp: security.removeTotp,
  renewRecoveryCodes: security.renewRecoveryCodes,
  passkeyRegistrationOptions: security.passkeyRegistrationOptions,
  addPasskey: security.addPasskey,
  renamePasskey: security.renamePasskey,
  removePasskey: security.removePasskey,
  unlinkExternalSignIn: security.unlinkExternalSignIn,
  proofPasskeyOptions: security.proofPasskeyOptions,
  proveByPasskey: security.proveByPasskey,
  mailProofCode: security.mailProofCode,
  proveByCode: security.proveByCode,
  submitKyc,
  kycStatus,
  walletOfUser,
  walletByUser,
  balanceHistory,
  transactionsOfUser,
  createQuote,
  exchangeMoney,
  currencyRate,
  sendMoney,
  depositByCard,
  paymentStatus,
  events,
} as const satisfies Record<string, Endpoint>
