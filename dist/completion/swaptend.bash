# SPDX-License-Identifier: GPL-2.0-only
# bash completion for swaptend(8).  Options come from --help, which comes from
# the program's own tables.

_swaptend_laws='kolivas kolivas-proportional kolivas-2004 cost auto static:'

_swaptend_value() {
	case $1 in
	--law) COMPREPLY=($(compgen -W "$_swaptend_laws" -- "$2")) ;;
	--base) COMPREPLY=($(compgen -W 'original' -- "$2")) ;;
	--top | --max) COMPREPLY=($(compgen -W 'range' -- "$2")) ;;
	--target | -t) COMPREPLY=($(compgen -W 'system' -- "$2")) ;;
	--receive) COMPREPLY=($(compgen -W 'flush-func call none' -- "$2")) ;;
	--config | -c | --btf | --save | --output | -o) COMPREPLY=($(compgen -f -- "$2")) ;;
	--min | --duration | -d | --every | -e | --top | --interval-ms | --resume-after-s | \
		--swap-out-budget-kib-s | --zram-cpu-weight-pct) COMPREPLY=() ;;
	*) return 1 ;;
	esac
}

_swaptend() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} options

	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W 'run status check restore explain tlb' -- "$word"))
		return
	fi
	# "--law=x" is three words, as = breaks words.
	if [[ $word == '=' ]]; then
		word=
	elif [[ $before == '=' ]]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	_swaptend_value "$before" "$word" && return
	if [[ $word == -* ]]; then
		options=$("${COMP_WORDS[0]}" "$command" --help 2>/dev/null |
			grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+')
		COMPREPLY=($(compgen -W "$options" -- "$word"))
	elif [[ $command == explain ]]; then
		COMPREPLY=($(compgen -W "$_swaptend_laws" -- "$word"))
	elif [[ $command == tlb && " ${COMP_WORDS[*]} " == *' --compare '* ]]; then
		COMPREPLY=($(compgen -f -- "$word"))
	elif [[ $command == tlb ]]; then
		COMPREPLY=($(compgen -c -- "$word"))
	fi
}

complete -F _swaptend swaptend
