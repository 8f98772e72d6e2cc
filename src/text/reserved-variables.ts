/** Names that change how programs load code, find files or reach the network. */
const reserved = [
  /^(NODE|LD|DYLD|PLAYWRIGHT|PW|PWTEST|PWDEBUG|SSL|OPENSSL|TIDEMARK|XDG|FONTCONFIG|CHROME|CHROMIUM|UV|NPM|GCONV|GLIBC|MALLOC|VK|GIO|GTK|DBUS)(_|$)/,
  /^(PATH|HOME|SHELL|ENV|BASH_ENV|IFS|TMPDIR|TMP|TEMP|LOCPATH|NLSPATH|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS|DISPLAY)$/,
  /^DEBUG/,
  /_PROXY$/,
]

/** Whether a variable of the environment is not for values that others choose. */
export const isReservedVariable = (name: string) => reserved.some((pattern) => pattern.test(name.toUpperCase()))
