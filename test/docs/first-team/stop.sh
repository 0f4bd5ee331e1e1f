kill $SERVER_PID; wait $SERVER_PID; grep -c '"event":"stopped"' server.log
