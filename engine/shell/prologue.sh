exit() { local __status=$?; __leaving; builtin exit "${1-$__status}"; }
logout() { local __status=$?; __leaving; builtin exit "${1-$__status}"; }
history() { __history "$@"; }
wait() { if __owns_jobs "$@"; then __wait "$@"; else builtin wait "$@"; fi; }
cd() {
  local __from=$PWD __back=$OLDPWD
  builtin cd "$@" || return
  if ! builtin test -x .; then
    builtin cd "$__from"; OLDPWD=$__back
    echo "bash: line 0: cd: ${!#}: Permission denied" >&2
    return 1
  fi
}
test() { if builtin test $# = 2 -a "x$1" = x-L -o $# = 2 -a "x$1" = x-h; then __is_link "$2"; else builtin test "$@"; fi; }
function [ {
  if builtin test "x${!#}" != "x]"; then
    echo "bash: line 0: [: missing \`]'" >&2
    return 2
  elif builtin test $# = 3 && builtin test "x$1" = x-L -o "x$1" = x-h; then
    __is_link "$2"
  else
    builtin test "${@:1:$#-1}"
  fi
}
printf() {
  case "$1 $2 $3" in
    *'%('*')T'*)
      if builtin test "x$1" = x-v; then builtin printf -v "$2" %s "$(__printf_time "${@:3}")"; else __printf_time "$@"; fi
      ;;
    *) builtin printf "$@" ;;
  esac
}
awk() {
  case "$*" in
    *'systime()'* | *'srand()'*)
      local __word __words=()
      for __word in "$@"; do
        __word=${__word//systime()/$EPOCHSECONDS}
        __words+=("${__word//srand()/srand($EPOCHSECONDS)}")
      done
      command awk "${__words[@]}"
      ;;
    *) command awk "$@" ;;
  esac
}
sort() {
  case " $* " in
    *' -R '* | *' --random-sort '*)
      local __word __words=()
      for __word in "$@"; do
        case $__word in -R | --random-sort) ;; *) __words+=("$__word") ;; esac
      done
      command sort "${__words[@]}" | shuf
      ;;
    *) command sort "$@" ;;
  esac
}
type() {
  case $1 in
    exit | logout | history | wait | cd | test | [ | printf | kill | type | ulimit) echo "$1 is a shell builtin" ;;
    awk | sort) echo "$1 is /usr/bin/$1" ;;
    *) builtin type "$@"; return ;;
  esac
  shift
  if builtin test $# -gt 0; then type "$@"; fi
}
ulimit() {
  local __now
  __now=$(__ulimit "$__LIMITS" "$@") || return
  case $__now in
    =*) __LIMITS=${__now#=} ;;
    *) echo "$__now" ;;
  esac
}
kill() {
  if __owns_jobs "${@: -1}"; then __kill_job "$@"; else __BASH_LINE=0 command kill "$@"; fi
}
